#include "runtime/base/usable_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "runtime/base/cgroup.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

// "max", or a number; version 1 writes a number near 2^63 for none.
std::optional<double> limit_in(const std::string& directory, bool v2) {
  const auto numbers = numbers_in_file(directory + (v2 ? "/memory.max" : "/memory.limit_in_bytes"), 1);
  if (numbers.empty() || !(numbers[0] > 0) || numbers[0] >= 0x1p62) return std::nullopt;
  return numbers[0];
}

int64_t memory_of_machine() {
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? pages * size : std::numeric_limits<int64_t>::max();
}

}  // namespace

std::optional<int64_t> cgroup_memory_limit(const std::string& root) {
  const auto limit = least_cgroup_limit(root, "memory", limit_in);
  return limit ? std::optional(int64_t(*limit)) : std::nullopt;
}

int64_t usable_memory() {
  int64_t bytes = memory_of_machine();
  if (const auto limit = cgroup_memory_limit()) bytes = std::min(bytes, *limit);
  struct rlimit space;
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, int64_t(std::min<rlim_t>(space.rlim_cur, std::numeric_limits<int64_t>::max())));
  return std::max<int64_t>(bytes, 1);
}

void require_memory(int64_t bytes, int64_t limit, const std::string& what) {
  if (bytes > limit)
    user_error("{} would require {} bytes of memory; at most {} are allowed (CPPGEN_MAX_MEMORY)", what, bytes, limit);
}

}  // namespace cppgen
