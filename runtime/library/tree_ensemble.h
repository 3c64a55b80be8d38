#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan/calls/trees.h"

namespace cppgen::rt {

enum TreesInput {
  kTreesX,
  kTreesThresholds,
  kTreesLinks,
  kTreesRoots,
  kTreesVotes,
  kTreesVoteTargets,
  kTreesWeights,
  kTreesInputs
};

constexpr int64_t kTreeLanes = 8;  // concurrent descents, which hide the latency of loads

// The part of a node that a descent reads. In a leaf, both links lead to itself.
template <class T>
struct TreeNode {
  static constexpr int64_t kLinkUnit = 8;  // bytes; a scale factor that addressing modes support

  T threshold;       // of a leaf with one vote: its weight
  uint32_t column;   // the feature times kTreeLanes, plus 1 if NaN takes the second link
  uint32_t next[2];  // positions of the children, in units of kLinkUnit from the first node

  static uint32_t link(int64_t node) { return uint32_t(node * int64_t(sizeof(TreeNode)) / kLinkUnit); }
  static int64_t index(uint32_t link) { return int64_t(link) * kLinkUnit / int64_t(sizeof(TreeNode)); }
};

// An ensemble in the form that descents read. UserError if the constants of the call are not a valid ensemble as
// trees.h describes it; `bytes` has the sizes of its buffers.
template <class T>
struct TreeEnsemble {
  std::vector<TreeNode<T>> nodes;
  std::vector<uint32_t> roots;  // links
  std::vector<int> depths;      // of each tree
  std::vector<int32_t> target_of_leaf;
  const int32_t *votes, *targets;
  const T* weights;
  int64_t visits = 0;        // nodes on the longest path of each tree, summed
  bool one_vote = true;      // each leaf has exactly one
  bool nan_chooses = false;  // NaN takes the second link of some node

  TreeEnsemble(std::span<const void* const> constants, const TreesCall<int64_t>&, std::span<const int64_t> bytes);

 private:
  void check_sizes(const TreesCall<int64_t>&, std::span<const int64_t> bytes) const;
  void check_node(int64_t node, int64_t features, const int32_t* link) const;
};

}  // namespace cppgen::rt
