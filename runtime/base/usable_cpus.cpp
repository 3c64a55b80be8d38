#include "runtime/base/usable_cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/cgroup.h"

namespace cppgen {
namespace {

// The limit that a quota and a period in microseconds mean.
std::optional<double> limit_of(const std::vector<double>& numbers) {
  if (numbers.size() < 2 || !(numbers[0] > 0) || !(numbers[1] > 0)) return std::nullopt;
  return numbers[0] / numbers[1];
}

// cpu.max: "QUOTA PERIOD"; QUOTA may be "max".
std::optional<double> limit_v2(const std::string& directory) {
  return limit_of(numbers_in_file(directory + "/cpu.max", 2));
}

std::optional<double> limit_v1(const std::string& directory) {
  std::vector<double> numbers = numbers_in_file(directory + "/cpu.cfs_quota_us", 1);
  for (double period : numbers_in_file(directory + "/cpu.cfs_period_us", 1)) numbers.push_back(period);
  return limit_of(numbers);
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
