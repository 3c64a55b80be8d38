#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/compile_options.h"
#include "cppgen/compile/kernel_cache.h"
#include "cppgen/compile/remote_kernel_cache.h"
#include "cppgen/compile/shared_kernel_cache.h"

namespace cppgen {

// The caches that CompileOptions name, as one: CACHE_DIR, then CACHE_DIR_SHARED, then the server of REMOTE_CACHE. None
// of them is opened if caching is off. One object per thread.
class KernelCaches {
 public:
  // UserError for an unsafe directory.
  explicit KernelCaches(const CompileOptions& options);

  // The verified entry, which is on disk: one of the server is stored in CACHE_DIR first. nullopt with RECOMPILE.
  // `first_look`: false for a repeated lookup, which is in CACHE_DIR alone.
  std::optional<KernelCache::Pinned> find(const KernelKey& key, const std::string& job_name, bool first_look = true);
  // Publishes an ELF image. Returns its entry in CACHE_DIR, or nullopt if there is none: if CACHE_DIR cannot be
  // written, which is the first time a warning.
  std::optional<KernelCache::Pinned> store(const KernelKey& key, const std::string& job_name, const std::string& image);
  // After the last store, waits for the server, and removes entries of CACHE_DIR beyond its limit.
  void finish();

  // CACHE_DIR; nullptr if caching is off.
  KernelCache* own() { return own_ ? &*own_ : nullptr; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::optional<KernelCache::Pinned> store_own(const KernelKey& key, const std::string& job_name,
                                               const std::string& image);

  const bool recompile_;
  const int64_t size_limit_;
  std::optional<KernelCache> own_;
  std::optional<SharedKernelCache> shared_;
  std::unique_ptr<RemoteKernelCache> remote_;
  std::vector<std::string> warnings_;
};

}  // namespace cppgen
