#pragma once
#include <cstdint>
#include <vector>

namespace cppgen::schedule {

// Tracks which groups must run before which. A query visits only groups that may be between the two: those of a greater
// level that have changed since the earlier one was added.
class GroupDependencies {
 public:
  // A new group, numbered in order, that reads what these produce.
  void add(const std::vector<int>& producers);
  // The group also reads what these produce; those that depend on it wait for them, too. None of them depends on it.
  void extend(int group, const std::vector<int>& producers);
  // Returns whether `group` runs after `on`, directly or not.
  bool depends(int group, int on) const;
  // An order in which all can run: of those that can, always the one of least priority.
  std::vector<int> order(const std::vector<int>& priorities) const;

 private:
  struct Node {
    std::vector<int> producers, readers;  // direct
    int level = 0;                        // more than that of each producer
    int64_t created = 0, changed = 0;     // when it, and when it or what it depends on, was added or extended
    mutable int64_t asked = 0;            // the last query that visited it
  };
  std::vector<Node> nodes_;
  int64_t time_ = 0;
  mutable int64_t questions_ = 0;

  void link(int group, const std::vector<int>& producers);
  void raise(int group);
  bool may_depend(const Node& group, const Node& on) const {
    return group.level > on.level && group.changed >= on.created;
  }
};

}  // namespace cppgen::schedule
