#include "runtime/library/tree_ensemble.h"

#include <algorithm>

#include "runtime/base/errors.h"
#include "runtime/library/trees.h"

namespace cppgen::rt {
namespace {

int64_t elements(const BoundCall& call, TreesInput input, size_t size) {
  if (call.bytes[input] % int64_t(size) != 0) user_error("plan: input {} of trees has an odd size", int(input));
  return call.bytes[input] / int64_t(size);
}

}  // namespace

template <class T>
void TreeEnsemble<T>::check_sizes(const BoundCall& bound) const {
  const int64_t count = elements(bound, kTreesThresholds, sizeof(T)),
                vote_count = elements(bound, kTreesWeights, sizeof(T));
  if (elements(bound, kTreesLinks, sizeof(int32_t)) != 4 * count ||
      elements(bound, kTreesVotes, sizeof(int32_t)) != count + 1 ||
      elements(bound, kTreesVoteTargets, sizeof(int32_t)) != vote_count)
    user_error("plan: the constants of trees have sizes that do not agree");
  constexpr int64_t kMost = int64_t(UINT32_MAX) / kTreeLanes;
  if (count > kMost || bound.params[kTreesFeatures] > kMost)
    user_error("plan: trees of {} nodes and {} features; at most {} are supported", count, bound.params[kTreesFeatures],
               kMost);
  for (int64_t n = 0; n <= count; n++)
    if (votes[n] < (n ? votes[n - 1] : 0) || votes[n] > vote_count)
      user_error("plan: the votes of trees are not in order");
  for (int64_t v = 0; v < vote_count; v++)
    if (targets[v] < 0 || targets[v] >= bound.params[kTreesTargets])
      user_error("plan: trees vote for target {} of {}", targets[v], bound.params[kTreesTargets]);
}

template <class T>
void TreeEnsemble<T>::check_node(int64_t node, int64_t features, const int32_t* link) const {
  const auto count = int64_t(nodes.size());
  const bool leaf = link[1] == node && link[2] == node;
  for (int k : {1, 2})
    if (link[k] >= count || (!leaf && link[k] <= node))
      user_error("plan: node {} of trees has the child {} of {} nodes", node, link[k], count);
  if (!leaf && (link[0] < 0 || link[0] >= features))
    user_error("plan: node {} of trees asks for feature {} of {}", node, link[0], features);
  if (!leaf && votes[node] != votes[node + 1]) user_error("plan: node {} of trees votes but is no leaf", node);
}

template <class T>
TreeEnsemble<T>::TreeEnsemble(const LibraryCall& call, const BoundCall& bound)
    : votes(static_cast<const int32_t*>(call.constants[kTreesVotes])),
      targets(static_cast<const int32_t*>(call.constants[kTreesVoteTargets])),
      weights(static_cast<const T*>(call.constants[kTreesWeights])) {
  check_sizes(bound);
  const int64_t count = elements(bound, kTreesThresholds, sizeof(T));
  const auto* thresholds = static_cast<const T*>(call.constants[kTreesThresholds]);
  const auto* links = static_cast<const int32_t*>(call.constants[kTreesLinks]);
  nodes.resize(size_t(count)), target_of_leaf.resize(size_t(count));
  std::vector<int> height(size_t(count), 0);
  for (int64_t n = count; n-- > 0;) {
    const int32_t* link = links + 4 * n;
    check_node(n, bound.params[kTreesFeatures], link);
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
  const auto* starts = static_cast<const int32_t*>(call.constants[kTreesRoots]);
  for (int64_t tree = 0; tree < elements(bound, kTreesRoots, sizeof(int32_t)); tree++) {
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
