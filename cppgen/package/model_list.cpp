// The members of ModelCache that operate on all models.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "cppgen/package/model_cache.h"
#include "cppgen/package/package_pin.h"
#include "cppgen/package/shared_weights.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/package/versions.h"

namespace cppgen::package {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> entries_of(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    paths.push_back(it->path().string());
  return paths;
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

// Sizes of files by inode.
using Sizes = std::map<ino_t, int64_t>;

Sizes sizes_of(const std::string& package) {
  Sizes sizes;
  for (const std::string& directory : rt::package_directories(package))
    for (const std::string& path : entries_of(directory)) {
      struct stat st;
      if (::lstat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode)) sizes[st.st_ino] = st.st_size;
    }
  return sizes;
}

int64_t sum(const Sizes& sizes) {
  int64_t bytes = 0;
  for (const auto& [inode, size] : sizes) bytes += size;
  return bytes;
}

ModelCache::Description description_of(const std::string& root) {
  ModelCache::Description about;
  std::istringstream lines(try_read_file(root + "/about").value_or(""));
  std::getline(lines, about.model);
  for (std::string line; std::getline(lines, line);) about.settings.push_back(line);
  return about;
}

// Removes files of packages that no longer exist. The directory is kept if another process has created a package there.
void remove_root_if_empty(const std::string& root) {
  const auto entries = entries_of(root);
  if (std::any_of(entries.begin(), entries.end(), [](const auto& path) { return fs::is_directory(path); })) return;
  for (const std::string& path : entries) ::unlink(path.c_str());
  ::rmdir(root.c_str());
}

// Takes packages from the end of the list until `enough`.
template <class Enough>
int64_t remove(const std::string& cache_dir, std::vector<ModelCache::Listed> models, const Enough& enough) {
  const std::string temporary = cache_dir + "/tmp";
  if (make_directories(temporary) != 0) return 0;
  int64_t removed = 0;
  for (; !models.empty() && !enough(); models.pop_back()) {
    if (!remove_unpinned(models.back().package, temporary)) continue;
    removed++;
    remove_root_if_empty(parent_directory(models.back().package));
  }
  return removed;
}

}  // namespace

std::vector<ModelCache::Listed> ModelCache::list(const std::string& cache_dir) {
  std::vector<Listed> models;
  for (const std::string& root : entries_of(cache_dir + "/models")) {
    for (const std::string& package : entries_of(root)) {
      struct stat st;
      if (::stat((package + "/" + std::string(rt::kManifestFile)).c_str(), &st) != 0) continue;
      models.push_back({name_of(root) + "/" + name_of(package), package, description_of(root), sum(sizes_of(package)),
                        st.st_mtim.tv_sec, st.st_mtim.tv_nsec});
    }
  }
  std::sort(models.begin(), models.end(), [](const Listed& a, const Listed& b) {
    return std::tie(b.last_used, b.last_used_nanoseconds, a.key) <
           std::tie(a.last_used, a.last_used_nanoseconds, b.key);
  });
  return models;
}

int64_t ModelCache::stored_bytes(const std::string& cache_dir) {
  Sizes all;
  for (const Listed& model : list(cache_dir)) all.merge(sizes_of(model.package));
  return sum(all);
}

int64_t ModelCache::clear(const std::string& cache_dir) {
  const int64_t removed = remove(cache_dir, list(cache_dir), [] { return false; });
  for (const std::string& root : entries_of(cache_dir + "/models")) {
    // A directory without a manifest is not a package: it is damaged.
    for (const std::string& path : entries_of(root))
      if (fs::is_directory(path) && !fs::exists(path + "/" + std::string(rt::kManifestFile))) remove_tree(path);
    remove_root_if_empty(root);
  }
  remove_unshared_weights(cache_dir);
  return removed;
}

int64_t ModelCache::trim(const std::string& cache_dir, int64_t limit_bytes) {
  if (stored_bytes(cache_dir) <= limit_bytes) return 0;
  const int64_t removed = remove(cache_dir, list(cache_dir), [&] { return stored_bytes(cache_dir) <= limit_bytes; });
  remove_unshared_weights(cache_dir);
  return removed;
}

}  // namespace cppgen::package
