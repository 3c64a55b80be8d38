#include "cppgen/onnxruntime/partition.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace cppgen::ep {
namespace {

std::vector<int> entry_levels(const std::vector<PartitionNode>& nodes) {
  std::vector<int> levels(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); i++)
    for (const size_t source : nodes[i].sources)
      levels[i] = std::max(levels[i], levels[source] + int(nodes[i].supported && !nodes[source].supported));
  return levels;
}

class Groups {
 public:
  Groups(const std::vector<PartitionNode>& nodes, std::vector<int> levels)
      : nodes_(nodes), levels_(std::move(levels)), parents_(nodes.size()) {
    std::iota(parents_.begin(), parents_.end(), size_t(0));
    join_equal_levels();
  }

  std::vector<std::vector<size_t>> list() {
    std::map<size_t, std::vector<size_t>> members;  // by the first one
    for (size_t i = 0; i < nodes_.size(); i++)
      if (nodes_[i].supported) members[root(i)].push_back(i);
    std::vector<std::vector<size_t>> groups;
    for (auto& [first, group] : members) groups.push_back(std::move(group));
    return groups;
  }

  // Moves groups to the level of their readers, the last groups first.
  void move_towards_readers() {
    std::vector<std::vector<size_t>> groups = list();
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) move(*group);
    join_equal_levels();
  }

 private:
  size_t root(size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  void join_equal_levels() {
    for (size_t i = 0; i < nodes_.size(); i++)
      for (const size_t source : nodes_[i].sources)
        if (nodes_[i].supported && nodes_[source].supported && levels_[i] == levels_[source]) {
          const size_t a = root(i), b = root(source);
          parents_[std::max(a, b)] = std::min(a, b);
        }
  }

  // The level of a reader bounds those of what it reads: a supported node may have the same, and an unsupported one
  // keeps the level that it has.
  void move(const std::vector<size_t>& group) {
    const size_t first = root(group.front());
    int lowest = std::numeric_limits<int>::max(), lowest_supported = lowest;
    for (size_t i = group.front() + 1; i < nodes_.size(); i++) {
      if (nodes_[i].supported && root(i) == first) continue;
      for (const size_t source : nodes_[i].sources) {
        if (!nodes_[source].supported || root(source) != first) continue;
        lowest = std::min(lowest, levels_[i]);
        if (nodes_[i].supported) lowest_supported = std::min(lowest_supported, levels_[i]);
      }
    }
    if (lowest != lowest_supported || lowest <= levels_[group.front()] || lowest == std::numeric_limits<int>::max())
      return;
    for (const size_t i : group) levels_[i] = lowest;
  }

  const std::vector<PartitionNode>& nodes_;
  std::vector<int> levels_;
  std::vector<size_t> parents_;
};

}  // namespace

std::vector<std::vector<size_t>> convex_groups(const std::vector<PartitionNode>& nodes) {
  Groups groups(nodes, entry_levels(nodes));
  groups.move_towards_readers();
  return groups.list();
}

}  // namespace cppgen::ep
