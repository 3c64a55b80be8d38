#include "runtime/base/usable_cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "runtime/base/cgroup.h"

namespace cppgen {
namespace {

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
  return least_cgroup_limit(root, "cpu", [](const std::string& directory, bool v2) {
    return v2 ? limit_v2(directory) : limit_v1(directory);
  });
}

int usable_cpus() {
  int count = affinity_count();
  if (auto limit = cgroup_cpu_limit()) count = static_cast<int>(std::min<double>(count, std::ceil(*limit)));
  return std::max(count, 1);
}

}  // namespace cppgen
