#include "runtime/base/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <map>
#include <mutex>
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
  return fmt::format(",{},", controllers).find(fmt::format(",{},", controller)) != std::string::npos;
}

// Uses no stream, which takes longer than the system.
std::string read_file(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char part[4096];
  for (ssize_t count; (count = ::read(file, part, sizeof part)) > 0;) text.append(part, size_t(count));
  ::close(file);
  return text;
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

// Those of the whole system are read once: hierarchies are not mounted elsewhere while a process runs.
std::vector<Mount> known_mounts(const std::string& root, std::string_view controller) {
  if (!root.empty()) return cgroup_mounts(root, controller);
  static std::mutex mutex;
  static std::map<std::string, std::vector<Mount>, std::less<>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(controller);
  return found != known.end() ? found->second
                              : known.emplace(controller, cgroup_mounts(root, controller)).first->second;
}

// /proc/self/cgroup: "0::/a/b" for v2, "4:cpu,cpuacct:/a/b" for v1.
std::optional<std::string> own_group(const std::string& groups, std::string_view controller, bool v2) {
  for (size_t begin = 0; begin < groups.size();) {
    const size_t end = std::min(groups.find('\n', begin), groups.size());
    const std::string line = groups.substr(begin, end - begin);
    begin = end + 1;
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
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
  const std::string groups = read_file(root + "/proc/self/cgroup");
  std::optional<double> limit;
  for (const Mount& mount : known_mounts(root, controller))
    if (auto group = own_group(groups, controller, mount.v2))
      limit = smaller(limit, limit_along(root, mount, *group, read));
  return limit;
}

std::vector<double> numbers_in_file(const std::string& path, size_t most) {
  const std::string text = read_file(path);
  std::vector<double> numbers;
  for (const char *at = text.data(), *end = at + text.size(); numbers.size() < most;) {
    while (at < end && std::isspace(static_cast<unsigned char>(*at))) at++;
    double number = 0;
    const auto [next, error] = std::from_chars(at, end, number, std::chars_format::fixed);
    if (error != std::errc()) break;
    numbers.push_back(number), at = next;
  }
  return numbers;
}

}  // namespace cppgen
