#pragma once
#include <optional>
#include <string>

namespace cppgen {

// The CPU time that control groups grant this process, in CPUs (1.5 = one and a half), least over the group and its
// ancestors; nullopt without a limit. Reads cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us, cpu.cfs_period_us) below
// `root`, which stands in front of /proc/self/cgroup, /proc/self/mountinfo and the mount points. Unreadable or
// malformed files limit nothing.
std::optional<double> cgroup_cpu_limit(const std::string& root = "");

// Hardware threads of this process's affinity mask, bounded by the CPU limit rounded up; at least 1.
int usable_cpus();

}  // namespace cppgen
