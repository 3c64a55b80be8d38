#include "cppgen/flow/package/stored_models.h"

#include <fmt/format.h>

#include "cppgen/compile/toolchain.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/known_compiler.h"
#include "cppgen/flow/compile/model_key.h"
#include "cppgen/flow/compile/model_source.h"
#include "cppgen/flow/compile/source_files.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "runtime/base/log.h"
#include "runtime/package/versions.h"

namespace cppgen {

bool is_kept(const CompileRequest& request) {
  return request.settings.kernel_cache && !request.settings.force_disable_caches && request.output.empty();
}

bool StoredModels::usable() const {
  return is_kept(request_) && make_private_directory(options_.cache_dir, "CACHE_DIR") == 0;
}

std::optional<StoredModels::Entry> StoredModels::find(const std::string& model_sha256) const {
  package::ModelCache cache = cache_of(model_sha256);
  if (auto entry = cache.find()) return entry;
  auto remote = remote_models(model_sha256);
  if (!remote) return std::nullopt;
  // The machine that compiled it may have passed a test of the instruction set that this one fails.
  const auto usable = [&] {
    const IsaChoice isa(request_.settings, options_);
    return &isa.settled() == &isa.likely();
  };
  return remote->fetch(cache, model_folder(request_), description(), usable);
}

std::optional<StoredModels::Entry> StoredModels::keep(const std::function<void(const std::string& dir)>& write,
                                                      bool share) const {
  const ImportRecord& source = files_.record();
  package::ModelCache cache = cache_of(source.model_sha256);
  const auto published = cache.publish(*source.external, files_.external_key(), description(), write,
                                       request_.settings.recompile || request_.replace);
  if (!published.reason.empty())
    log_warning("the cache {} cannot be written ({}): the model will be compiled again next time", options_.cache_dir,
                published.reason);
  if (!published.entry) return std::nullopt;
  remember_compiler(request_.settings);
  package::ModelCache::trim(options_.cache_dir, request_.settings.weights_cache_limit);
  if (share)
    if (auto remote = remote_models(source.model_sha256))
      remote->store(published.entry->package, *source.external, files_.external_key());
  return published.entry;
}

package::ModelCache StoredModels::cache_of(const std::string& model_sha256) const {
  return package::ModelCache(options_.cache_dir, model_key(request_, files_.custom(), model_sha256),
                             model_folder(request_));
}

// There are some only if the package depends on nothing but its key, and is no trial of a tuning.
std::optional<RemoteModels> StoredModels::remote_models(const std::string& model_sha256) const {
  if (!options_.remote_cache || options_.debug_level != "0" || !files_.custom().empty() || request_.choices ||
      !request_.versions.empty() || possible_isas(request_.settings).size() != 1)
    return std::nullopt;
  const Toolchain toolchain = Toolchain::find(options_.cxx);
  Hasher key;
  key.field("model", model_key(request_, files_.custom(), model_sha256));
  key.field("compiler", toolchain.identity).field("command", toolchain.command);
  return std::make_optional<RemoteModels>(*options_.remote_cache, key.hex());
}

package::ModelCache::Description StoredModels::description() const {
  package::ModelCache::Description about{model_place(request_), {}};
  for (const SettingDescription& setting : request_.settings.describe())
    if ((setting.in_key || setting.name == "CXX") && setting.source != "default")
      about.settings.push_back(fmt::format("{}={}", setting.name, setting.value));
  for (const DimOption& dim : request_.dims) about.settings.push_back(to_string(dim));
  for (const rt::SymbolSizes& sizes : request_.versions) about.settings.push_back("--sizes " + rt::name_of(sizes));
  return about;
}

}  // namespace cppgen
