#include "cppgen/package/model_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/usable_cpus.h"

namespace cppgen::package {
namespace {

constexpr const char* kNames = "external_files";
constexpr const char* kBoot = "written_in_boot";  // beside the package, not in it

std::string boot_id() { return try_read_file("/proc/sys/kernel/random/boot_id").value_or(""); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  size_t start = 0;
  for (size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    lines.push_back(text.substr(start, end - start));
  return lines;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

ModelCache::ModelCache(const std::string& cache_dir, const std::string& model_key, std::string folder)
    : root_(cache_dir + "/models/" + model_key), folder_(std::move(folder)) {}

std::optional<std::string> ModelCache::weights_key(const std::vector<std::string>& external) const {
  Hasher hasher;
  for (const auto& name : external) {
    try {
      hasher.field("name", name).field("content", file_content_key(folder_ + "/" + name, usable_cpus()));
    } catch (const UserError&) {
      return std::nullopt;
    }
  }
  return hasher.hex();
}

std::optional<std::string> ModelCache::find() const {
  auto names = try_read_file(root_ + "/" + kNames);
  if (!names) return std::nullopt;
  auto key = weights_key(lines_of(*names));
  if (!key) return std::nullopt;
  std::string package = root_ + "/" + *key;
  if (!exists(package + "/manifest.json")) return std::nullopt;
  return package;
}

bool ModelCache::is_settled(const std::string& package) {
  std::string now = boot_id();
  return !now.empty() && try_read_file(package + "." + kBoot) == now;
}

std::optional<std::string> ModelCache::publish(const std::vector<std::string>& external,
                                               const std::function<void(const std::string&)>& write, bool replace) {
  auto key = weights_key(external);
  if (!key || make_directories(root_) != 0) return std::nullopt;
  std::string names;
  for (const auto& n : external) {
    if (n.find('\n') != std::string::npos) return std::nullopt;
    names += n + "\n";
  }
  std::optional<TempDirectory> temp;
  try {
    remove_stale_temp_directories(root_, "tmp.");
    temp.emplace(root_, "tmp.");
  } catch (const UserError&) {
    return std::nullopt;
  }
  std::string staged = temp->path() + "/package", target = root_ + "/" + *key;
  if (make_directories(staged) != 0) return std::nullopt;
  write(staged);
  if (write_file(target + "." + kBoot, boot_id()) != 0) return std::nullopt;
  if (replace && exists(target)) std::rename(target.c_str(), (temp->path() + "/old").c_str());
  // Another process may have published the same package meanwhile: then that one serves.
  if (std::rename(staged.c_str(), target.c_str()) != 0 && !exists(target + "/manifest.json")) return std::nullopt;
  if (publish_file(root_ + "/" + kNames, names) != 0) return std::nullopt;
  return target;
}

}  // namespace cppgen::package
