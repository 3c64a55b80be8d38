#pragma once
#include <functional>
#include <optional>
#include <string>

#include "cppgen/compile/compile_options.h"
#include "cppgen/package/model_cache.h"
#include "cppgen/support/remote_store.h"

namespace cppgen {

// Whole models on the server of the remote cache (REMOTE_CACHE), which machines share if they run the same build of
// cppgen and compile with the same files. An entry is the archive of a package with what it was made from, in the
// format of kernels' entries (cache_entry.h), and is verified like them: one that is damaged, belongs to another key,
// or to other weights, counts as absent. This protects from accidents, not from whoever controls the server.
class RemoteModels {
 public:
  // Packages of more bytes are not shared: their weights would take longer to transfer than their kernels to compile.
  static constexpr int64_t kMostPackageBytes = 16 << 20;

  // `key`: of everything that the package depends on, besides weights in external files.
  RemoteModels(const RemoteAddress& address, std::string key)
      : store_(address, false), key_(std::move(key)), name_("cppgen:model:" + key_) {}

  // Brings the model into `cache` if `usable` says so, which is asked only for an entry that is in order. `folder`
  // holds the model's external files.
  std::optional<package::ModelCache::Entry> fetch(package::ModelCache& cache, const std::string& folder,
                                                  const package::ModelCache::Description&,
                                                  const std::function<bool()>& usable);
  // A package for the external files with this content_key(). Errors are not failures.
  void store(const std::string& package, const ExternalFiles&, const std::string& weights_key);

 private:
  RemoteStore store_;
  const std::string key_, name_;
};

}  // namespace cppgen
