#pragma once
#include <vector>

namespace cppgen::schedule {

// Which of the groups 0, 1, ... must run before which, transitively.
class GroupDependencies {
 public:
  // Adds a group that depends on these.
  void add(const std::vector<int>& producers);
  // The group now depends on these, too; so does all that depends on the group.
  void extend(int group, const std::vector<int>& producers);
  bool depends(int group, int on) const;
  // All groups, each behind those that it depends on; of those that could come next, the one of the least priority.
  std::vector<int> order(const std::vector<int>& priorities) const;

 private:
  std::vector<std::vector<bool>> ancestors_;  // per group; a group that is not there is none

  std::vector<bool> with_ancestors(const std::vector<int>& groups) const;
};

}  // namespace cppgen::schedule
