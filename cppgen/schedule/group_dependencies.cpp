#include "cppgen/schedule/group_dependencies.h"

#include <algorithm>

#include "runtime/base/errors.h"

namespace cppgen::schedule {

static void merge(std::vector<bool>& into, const std::vector<bool>& more) {
  if (into.size() < more.size()) into.resize(more.size(), false);
  for (size_t a = 0; a < more.size(); a++)
    if (more[a]) into[a] = true;
}

std::vector<bool> GroupDependencies::with_ancestors(const std::vector<int>& groups) const {
  std::vector<bool> all(ancestors_.size(), false);
  for (int g : groups) {
    all[size_t(g)] = true;
    merge(all, ancestors_[size_t(g)]);
  }
  return all;
}

void GroupDependencies::add(const std::vector<int>& producers) { ancestors_.push_back(with_ancestors(producers)); }

void GroupDependencies::extend(int group, const std::vector<int>& producers) {
  std::vector<int> others = producers;
  std::erase(others, group);
  std::vector<bool> more = with_ancestors(others);
  merge(ancestors_[size_t(group)], more);
  for (int g = 0; g < int(ancestors_.size()); g++)
    if (depends(g, group)) merge(ancestors_[size_t(g)], more);
}

bool GroupDependencies::depends(int group, int on) const {
  const auto& all = ancestors_[size_t(group)];
  return size_t(on) < all.size() && all[size_t(on)];
}

std::vector<int> GroupDependencies::order(const std::vector<int>& priorities) const {
  int count = int(ancestors_.size());
  std::vector<bool> done(size_t(count), false);
  auto is_ready = [&](int g) {
    for (int a = 0; a < count; a++)
      if (a != g && depends(g, a) && !done[size_t(a)]) return false;
    return true;
  };
  std::vector<int> result;
  while (int(result.size()) < count) {
    int next = -1;
    for (int g = 0; g < count; g++)
      if (!done[size_t(g)] && (next < 0 || priorities[size_t(g)] < priorities[size_t(next)]) && is_ready(g)) next = g;
    check(next >= 0, "schedule: groups depend on each other in a cycle");
    done[size_t(next)] = true;
    result.push_back(next);
  }
  return result;
}

}  // namespace cppgen::schedule
