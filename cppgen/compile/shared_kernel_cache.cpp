#include "cppgen/compile/shared_kernel_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "cppgen/support/private_files.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
SharedKernelCache::SharedKernelCache(std::string dir) : dir_(std::move(dir)) {
  struct stat st;
  if (::stat(dir_.c_str(), &st) != 0) {
    log_warning("the shared cache (CPPGEN_CACHE_DIR_SHARED) '{}' cannot be read: {}", dir_, error_text(errno));
    return;
  }
  if (!S_ISDIR(st.st_mode)) user_error("the shared cache (CPPGEN_CACHE_DIR_SHARED) '{}' is not a directory", dir_);
  if (const std::string why = why_unsafe(st); !why.empty())
    user_error("the shared cache (CPPGEN_CACHE_DIR_SHARED) '{}' {}: choose a directory that only root or you can write",
               dir_, why);
  exists_ = true;
}

std::optional<KernelCache::Pinned> SharedKernelCache::find(const KernelKey& key) const {
  if (!exists_) return std::nullopt;
  const std::string entry = KernelCache::entry_path(dir_, key.hex), folder = parent_directory(entry);
  for (const std::string& path : {parent_directory(folder), folder, entry}) {
    struct stat st;
    if (::lstat(path.c_str(), &st) != 0) return std::nullopt;
    if (const std::string why = why_unsafe(st); !why.empty()) {
      log_warning("the shared cache (CPPGEN_CACHE_DIR_SHARED) is not used for a kernel, because '{}' {}", path, why);
      return std::nullopt;
    }
  }
  std::string why;
  return KernelCache::read_entry(dir_, key, why);
}

}  // namespace cppgen
