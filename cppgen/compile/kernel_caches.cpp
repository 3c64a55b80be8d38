#include "cppgen/compile/kernel_caches.h"

#include <fmt/format.h>

#include "runtime/base/log.h"

namespace cppgen {
namespace {

bool may_read_caches(const CompileOptions& options) { return options.kernel_cache && !options.force_disable_caches; }

std::optional<KernelCache> open_own(const CompileOptions& options) {
  if (options.cache_dir.empty() || !may_read_caches(options)) return std::nullopt;
  return KernelCache(options.cache_dir);
}

std::optional<SharedKernelCache> open_shared(const CompileOptions& options) {
  if (options.cache_dir_shared.empty() || !may_read_caches(options)) return std::nullopt;
  return SharedKernelCache(options.cache_dir_shared);
}

// Its entries are used from the disk.
std::unique_ptr<RemoteKernelCache> open_remote(const CompileOptions& options) {
  if (!options.remote_cache || options.cache_dir.empty() || !may_read_caches(options)) return nullptr;
  return std::make_unique<RemoteKernelCache>(*options.remote_cache, options.non_blocking_remote_cache_write);
}

}  // namespace

KernelCaches::KernelCaches(const CompileOptions& options)
    : recompile_(options.recompile),
      size_limit_(options.cache_size_limit),
      own_(open_own(options)),
      shared_(open_shared(options)),
      remote_(open_remote(options)) {}

std::optional<KernelCache::Pinned> KernelCaches::find(const KernelKey& key, const std::string& job_name,
                                                      bool first_look) {
  if (recompile_) return std::nullopt;
  auto entry = own_ ? own_->find(key, first_look) : std::nullopt;
  if (entry || !first_look) return entry;
  if (shared_) entry = shared_->find(key);
  if (entry || !remote_) return entry;
  const auto image = remote_->find(key);
  return image ? store_own(key, job_name, *image) : std::nullopt;
}

std::optional<KernelCache::Pinned> KernelCaches::store(const KernelKey& key, const std::string& job_name,
                                                       const std::string& image) {
  if (remote_) remote_->store(key, job_name, image);
  return own_ ? store_own(key, job_name, image) : std::nullopt;
}

std::optional<KernelCache::Pinned> KernelCaches::store_own(const KernelKey& key, const std::string& job_name,
                                                           const std::string& image) {
  KernelCache::Stored stored = own_->store(key, job_name, image);
  if (!stored.entry && warnings_.empty()) {
    warnings_.push_back(
        fmt::format("the kernel cache cannot be written ({}): kernels will be built again next time", stored.reason));
    log_warning("{}", warnings_.back());
  }
  return std::move(stored.entry);
}

void KernelCaches::finish() {
  if (remote_) remote_->flush();
  if (own_) own_->trim(size_limit_);
}

}  // namespace cppgen
