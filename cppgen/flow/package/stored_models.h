#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/package/remote_models.h"
#include "cppgen/package/model_cache.h"
#include "runtime/custom/description.h"

namespace cppgen {

class SourceFiles;

// Returns whether the compiled model is kept in the cache: unless caches are off, or it goes elsewhere.
bool is_kept(const CompileRequest&);

// The places where the compiled model of a request may be found, and is kept: the cache of this machine, and the server
// that machines share.
class StoredModels {
 public:
  using Entry = package::ModelCache::Entry;

  StoredModels(const CompileRequest& request, const CompileOptions& options, const SourceFiles& files)
      : request_(request), options_(options), files_(files) {}

  // Returns whether the model is kept and the cache can be written.
  bool usable() const;

  std::optional<Entry> find(const std::string& model_sha256) const;

  // Keeps the package that `write` writes of the files. `share`: also on the server. Without an entry, the cache cannot
  // be written, which has caused a warning.
  std::optional<Entry> keep(const std::function<void(const std::string& dir)>& write, bool share) const;

 private:
  const CompileRequest& request_;
  const CompileOptions& options_;
  const SourceFiles& files_;

  package::ModelCache cache_of(const std::string& model_sha256) const;
  std::optional<RemoteModels> remote_models(const std::string& model_sha256) const;
  package::ModelCache::Description description() const;
};

}  // namespace cppgen
