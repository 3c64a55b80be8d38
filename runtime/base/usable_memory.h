#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace cppgen {

// The bytes of memory that control groups grant this process, as the minimum over the group and its ancestors; nullopt
// without a limit. Version 2 (memory.max) and 1 (memory.limit_in_bytes), below `root` as for cgroup_cpu_limit.
std::optional<int64_t> cgroup_memory_limit(const std::string& root = "");

// The machine's memory in bytes, bounded by that limit and by the limit of this process's address space.
int64_t usable_memory();

// UserError if `bytes` for `what` exceed `limit`, the setting MAX_MEMORY.
void require_memory(int64_t bytes, int64_t limit, const std::string& what);

}  // namespace cppgen
