#include "runtime/library/tree_ensemble.h"

#include <algorithm>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

int64_t elements(std::span<const int64_t> bytes, TreesInput input, size_t size) {
  if (bytes[input] % int64_t(size) != 0) user_error("plan: input {} of trees has an unexpected size", int(input));
  return bytes[input] / int64_t(size);
}

}  // namespace

template <class T>
void TreeEnsemble<T>::check_sizes(const TreesCall<int64_t>& call, std::span<const int64_t> bytes) const {
  const int64_t count = elements(bytes, kTreesThresholds, sizeof(T)),
                vote_count = elements(bytes, kTreesWeights, sizeof(T));
  if (elements(bytes, kTreesLinks, sizeof(int32_t)) != 4 * count ||
      elements(bytes, kTreesVotes, sizeof(int32_t)) != count + 1 ||
      elements(bytes, kTreesVoteTargets, sizeof(int32_t)) != vote_count)
    user_error("plan: the sizes of the constants of trees do not match");
  constexpr int64_t kMost = int64_t(UINT32_MAX) / kTreeLanes;
  if (count > kMost || call.features > kMost)
    user_error("plan: trees of {} nodes and {} features; at most {} are supported", count, call.features, kMost);
  for (int64_t n = 0; n <= count; n++)
    if (votes[n] < (n ? votes[n - 1] : 0) || votes[n] > vote_count)
      user_error("plan: the votes of trees are not in order");
  for (int64_t v = 0; v < vote_count; v++)
    if (targets[v] < 0 || targets[v] >= call.targets)
      user_error("plan: trees vote for target {} of {}", targets[v], call.targets);
}

template <class T>
void TreeEnsemble<T>::check_node(int64_t node, int64_t features, const int32_t* link) const {
  const auto count = int64_t(nodes.size());
  const bool leaf = link[1] == node && link[2] == node;
  for (int k : {1, 2})
    if (link[k] >= count || (!leaf && link[k] <= node))
      user_error("plan: node {} of trees has the child {} of {} nodes", node, link[k], count);
  if (!leaf && (link[0] < 0 || link[0] >= features))
    user_error("plan: node {} of trees tests feature {} of {}", node, link[0], features);
  if (!leaf && votes[node] != votes[node + 1]) user_error("plan: node {} of trees votes but is not a leaf", node);
}

template <class T>
TreeEnsemble<T>::TreeEnsemble(std::span<const void* const> constants, const TreesCall<int64_t>& call,
                              std::span<const int64_t> bytes)
    : votes(static_cast<const int32_t*>(constants[kTreesVotes])),
      targets(static_cast<const int32_t*>(constants[kTreesVoteTargets])),
      weights(static_cast<const T*>(constants[kTreesWeights])) {
  check_sizes(call, bytes);
  const int64_t count = elements(bytes, kTreesThresholds, sizeof(T));
  const auto* thresholds = static_cast<const T*>(constants[kTreesThresholds]);
  const auto* links = static_cast<const int32_t*>(constants[kTreesLinks]);
  nodes.resize(size_t(count)), target_of_leaf.resize(size_t(count));
  std::vector<int> height(size_t(count), 0);
  for (int64_t n = count; n-- > 0;) {
    const int32_t* link = links + 4 * n;
    check_node(n, call.features, link);
    const bool leaf = link[1] == n, nan_second = !leaf && link[3] != 0;
    nodes[size_t(n)] = {thresholds[n],
                        uint32_t(leaf ? 0 : link[0] * kTreeLanes + nan_second),
                        {TreeNode<T>::link(link[1]), TreeNode<T>::link(link[2])}};
    nan_chooses |= nan_second;
    if (!leaf) {
      height[size_t(n)] = 1 + std::max(height[size_t(link[1])], height[size_t(link[2])]);
    } else if (votes[n + 1] - votes[n] == 1) {
      nodes[size_t(n)].threshold = weights[votes[n]], target_of_leaf[size_t(n)] = targets[votes[n]];
    } else {
      one_vote = false;
    }
  }
  const auto* starts = static_cast<const int32_t*>(constants[kTreesRoots]);
  for (int64_t tree = 0; tree < elements(bytes, kTreesRoots, sizeof(int32_t)); tree++) {
    if (starts[tree] < 0 || starts[tree] >= count)
      user_error("plan: a tree begins at node {} of {}", starts[tree], count);
    roots.push_back(TreeNode<T>::link(starts[tree]));
    depths.push_back(height[size_t(starts[tree])]);
    visits += depths.back() + 1;
  }
}

template struct TreeEnsemble<float>;
template struct TreeEnsemble<double>;

}  // namespace cppgen::rt
