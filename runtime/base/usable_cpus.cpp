#include "runtime/base/usable_cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

namespace cppgen {
namespace {

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

std::optional<double> limit_of(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::nullopt;
  return quota / period;
}

// cpu.max: "QUOTA PERIOD" in microseconds; QUOTA may be "max".
std::optional<double> limit_v2(const std::string& directory) {
  std::ifstream file(directory + "/cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period)) return std::nullopt;
  return limit_of(quota, period);
}

std::optional<double> limit_v1(const std::string& directory) {
  std::ifstream quota_file(directory + "/cpu.cfs_quota_us"), period_file(directory + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) return std::nullopt;
  return limit_of(quota, period);
}

struct Mount {
  std::string group;  // the part of the hierarchy that is mounted, "/" for all of it
  std::string point;
  bool v2;
};

bool lists_cpu(const std::string& controllers) {
  std::stringstream stream(controllers);
  for (std::string name; std::getline(stream, name, ',');)
    if (name == "cpu") return true;
  return false;
}

// proc(5): "36 35 98:0 /group /mount/point rw,noatime master:1 - cgroup2 cgroup2 rw,nsdelegate".
std::vector<Mount> cgroup_mounts(const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::stringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string skip, group, point, type, device, options;
    before >> skip >> skip >> skip >> group >> point;
    after >> type >> device >> options;
    if (type == "cgroup2" || (type == "cgroup" && lists_cpu(options)))
      mounts.push_back({group, point, type == "cgroup2"});
  }
  return mounts;
}

// /proc/self/cgroup: "0::/a/b" for v2, "4:cpu,cpuacct:/a/b" for v1.
std::optional<std::string> own_group(const std::string& root, bool v2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    if (v2 ? controllers.empty() : lists_cpu(controllers)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// Limits of the group and of its ancestors up to the mount point. Inside a container the path may name a group that is
// not visible there; then the mount point itself is the container's group.
std::optional<double> limit_along(const std::string& root, const Mount& mount, std::string group) {
  if (mount.group != "/" && group.starts_with(mount.group)) group.erase(0, mount.group.size());
  std::optional<double> limit;
  while (true) {
    std::string directory = root + mount.point + group;
    limit = smaller(limit, mount.v2 ? limit_v2(directory) : limit_v1(directory));
    if (group.empty() || group == "/") return limit;
    group.erase(std::min(group.find_last_of('/'), group.size()));
  }
}

int affinity_count() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (!set) break;
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return 1;
}

}  // namespace

std::optional<double> cgroup_cpu_limit(const std::string& root) {
  std::optional<double> limit;
  for (const Mount& mount : cgroup_mounts(root))
    if (auto group = own_group(root, mount.v2)) limit = smaller(limit, limit_along(root, mount, *group));
  return limit;
}

int usable_cpus() {
  int count = affinity_count();
  if (auto limit = cgroup_cpu_limit()) count = static_cast<int>(std::min<double>(count, std::ceil(*limit)));
  return std::max(count, 1);
}

}  // namespace cppgen
