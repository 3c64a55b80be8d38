#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cppgen {

// The minimum of what `read` returns for the control group of this process and its ancestors, in hierarchies of version
// 2 and in those of version 1 with the controller; nullopt if it returns nothing. `root` is prefixed to
// /proc/self/cgroup, /proc/self/mountinfo and the mount points. Unreadable or malformed files impose no limit.
using ReadCgroupLimit = std::function<std::optional<double>(const std::string& directory, bool v2)>;
std::optional<double> least_cgroup_limit(const std::string& root, std::string_view controller,
                                         const ReadCgroupLimit& read);

// The numbers with which the file begins, at most `most`: fewer if it is not readable or something else follows.
std::vector<double> numbers_in_file(const std::string& path, size_t most);

}  // namespace cppgen
