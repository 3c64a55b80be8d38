#pragma once
#include <optional>
#include <string>

namespace cppgen {

// The CPU time that control groups grant this process, in CPUs (1.5 = one and a half), as the minimum over the group
// and its ancestors; nullopt without a limit. Reads cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us, cpu.cfs_period_us)
// below `root`, which is prefixed to /proc/self/cgroup, /proc/self/mountinfo and the mount points. Unreadable or
// malformed files impose no limit.
std::optional<double> cgroup_cpu_limit(const std::string& root = "");

// The number of hardware threads in this process's affinity mask, bounded by the CPU limit rounded up; at least 1.
int usable_cpus();

}  // namespace cppgen
