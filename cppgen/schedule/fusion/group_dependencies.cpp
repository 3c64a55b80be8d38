#include "cppgen/schedule/fusion/group_dependencies.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "runtime/base/errors.h"

namespace cppgen::schedule {

void GroupDependencies::link(int group, const std::vector<int>& producers) {
  auto& own = nodes_[size_t(group)].producers;
  for (int p : producers) {
    if (p == group || std::find(own.begin(), own.end(), p) != own.end()) continue;
    own.push_back(p);
    nodes_[size_t(p)].readers.push_back(group);
  }
}

// Updates the levels and times of a group and of all groups that depend on it.
void GroupDependencies::raise(int group) {
  std::vector<int> open{group};
  while (!open.empty()) {
    Node& node = nodes_[size_t(open.back())];
    open.pop_back();
    int level = 0;
    for (int p : node.producers) level = std::max(level, nodes_[size_t(p)].level + 1);
    if (node.changed == time_ && node.level >= level) continue;
    node.changed = time_, node.level = std::max(node.level, level);
    open.insert(open.end(), node.readers.begin(), node.readers.end());
  }
}

void GroupDependencies::add(const std::vector<int>& producers) {
  nodes_.emplace_back();
  nodes_.back().created = ++time_;
  link(int(nodes_.size()) - 1, producers);
  raise(int(nodes_.size()) - 1);
}

void GroupDependencies::extend(int group, const std::vector<int>& producers) {
  const size_t before = nodes_[size_t(group)].producers.size();
  link(group, producers);
  if (nodes_[size_t(group)].producers.size() == before) return;
  ++time_;
  raise(group);
}

bool GroupDependencies::depends(int group, int on) const {
  const Node& goal = nodes_[size_t(on)];
  std::vector<int> open{group};
  ++questions_;
  while (!open.empty()) {
    const Node& node = nodes_[size_t(open.back())];
    open.pop_back();
    if (!may_depend(node, goal)) continue;
    for (int p : node.producers) {
      if (p == on) return true;
      if (nodes_[size_t(p)].asked == questions_) continue;
      nodes_[size_t(p)].asked = questions_;
      open.push_back(p);
    }
  }
  return false;
}

std::vector<int> GroupDependencies::order(const std::vector<int>& priorities) const {
  using Entry = std::pair<int, int>;  // priority, group
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::vector<size_t> missing;
  for (size_t g = 0; g < nodes_.size(); g++) {
    missing.push_back(nodes_[g].producers.size());
    if (missing[g] == 0) ready.emplace(priorities[g], int(g));
  }
  std::vector<int> result;
  while (!ready.empty()) {
    const int next = ready.top().second;
    ready.pop();
    result.push_back(next);
    for (int reader : nodes_[size_t(next)].readers)
      if (--missing[size_t(reader)] == 0) ready.emplace(priorities[size_t(reader)], reader);
  }
  check(result.size() == nodes_.size(), "schedule: groups depend on each other in a cycle");
  return result;
}

}  // namespace cppgen::schedule
