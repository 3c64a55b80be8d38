#include "runtime/base/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace cppgen {
namespace {

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

struct Mount {
  std::string group;  // the part of the hierarchy that is mounted, "/" for all of it
  std::string point;
  bool v2;
};

bool lists(const std::string& controllers, std::string_view controller) {
  std::stringstream stream(controllers);
  for (std::string name; std::getline(stream, name, ',');)
    if (name == controller) return true;
  return false;
}

// proc(5): "36 35 98:0 /group /mount/point rw,noatime master:1 - cgroup2 cgroup2 rw,nsdelegate".
std::vector<Mount> cgroup_mounts(const std::string& root, std::string_view controller) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::stringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string skip, group, point, type, device, options;
    before >> skip >> skip >> skip >> group >> point;
    after >> type >> device >> options;
    if (type == "cgroup2" || (type == "cgroup" && lists(options, controller)))
      mounts.push_back({group, point, type == "cgroup2"});
  }
  return mounts;
}

// /proc/self/cgroup: "0::/a/b" for v2, "4:cpu,cpuacct:/a/b" for v1.
std::optional<std::string> own_group(const std::string& root, std::string_view controller, bool v2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    if (v2 ? controllers.empty() : lists(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// Limits of the group and of its ancestors up to the mount point. Inside a container the path may name a group that is
// not visible there; then the mount point itself is the container's group.
std::optional<double> limit_along(const std::string& root, const Mount& mount, std::string group,
                                  const ReadCgroupLimit& read) {
  if (mount.group != "/" && group.starts_with(mount.group)) group.erase(0, mount.group.size());
  std::optional<double> limit;
  while (true) {
    limit = smaller(limit, read(root + mount.point + group, mount.v2));
    if (group.empty() || group == "/") return limit;
    group.erase(std::min(group.find_last_of('/'), group.size()));
  }
}

}  // namespace

std::optional<double> least_cgroup_limit(const std::string& root, std::string_view controller,
                                         const ReadCgroupLimit& read) {
  std::optional<double> limit;
  for (const Mount& mount : cgroup_mounts(root, controller))
    if (auto group = own_group(root, controller, mount.v2))
      limit = smaller(limit, limit_along(root, mount, *group, read));
  return limit;
}

}  // namespace cppgen
