// cppgen cache
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/compile/kernel_cache.h"
#include "cppgen/compile/peaks.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/flow/costs/stored_profile.h"
#include "cppgen/package/model_cache.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

using package::ModelCache;

constexpr const char* kKinds[] = {"kernels", "models", "peaks", "profiles", "tunings"};

std::string date(time_t time) {
  struct tm parts {};
  char text[32] = "";
  if (localtime_r(&time, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

std::string list(const CacheOptions& options, const KernelCache& kernels) {
  const std::vector<KernelCache::Entry> entries = kernels.list();
  const std::vector<ModelCache::Listed> models = ModelCache::list(kernels.dir());
  if (!options.json) {
    std::string text;
    for (const auto& e : entries)
      text += fmt::format("kernel  {:.16}  {:>10}  {}  {}\n", e.key, bytes_text(e.bytes), date(e.last_used),
                          printable(e.name));
    for (const ModelCache::Listed& m : models)
      text += fmt::format("model   {:.16}  {:>10}  {}  {}{}{}\n", m.key, bytes_text(m.bytes), date(m.last_used),
                          m.about.model, m.about.settings.empty() ? "" : "  ", fmt::join(m.about.settings, " "));
    return text.empty() ? "the cache is empty\n" : text;
  }
  Json json;
  json["kernels"] = Json::array();
  for (const auto& e : entries) {
    Json item;
    item["key"] = e.key;
    item["name"] = e.name;
    item["bytes"] = e.bytes;
    item["last_used"] = int64_t(e.last_used);
    json["kernels"].push_back(std::move(item));
  }
  json["models"] = Json::array();
  for (const ModelCache::Listed& m : models) {
    Json item;
    item["key"] = m.key;
    item["model"] = m.about.model;
    item["settings"] = m.about.settings;
    item["bytes"] = m.bytes;
    item["last_used"] = int64_t(m.last_used);
    json["models"].push_back(std::move(item));
  }
  return json_text(json, 2) + "\n";
}

std::string stats(const CacheOptions& options, const Settings& settings, const KernelCache& kernels) {
  const KernelCache::Stats stats = kernels.stats();
  const size_t models = ModelCache::list(kernels.dir()).size();
  const int64_t model_bytes = ModelCache::stored_bytes(kernels.dir());
  if (!options.json)
    return fmt::format("directory  {}\nkernels    {}, {} (limit {})\nmodels     {}, {} (limit {})\n", kernels.dir(),
                       stats.entries, bytes_text(stats.bytes), bytes_text(settings.cache_size_limit), models,
                       bytes_text(model_bytes), bytes_text(settings.weights_cache_limit));
  Json json;
  json["directory"] = kernels.dir();
  json["kernels"] = stats.entries;
  json["kernel_bytes"] = stats.bytes;
  json["kernel_bytes_limit"] = settings.cache_size_limit;
  json["models"] = models;
  json["model_bytes"] = model_bytes;
  json["model_bytes_limit"] = settings.weights_cache_limit;
  return json_text(json, 2) + "\n";
}

// Tunings take long, so they are removed only if they are named.
std::string clear(const CacheOptions& options, const Settings& settings, KernelCache& kernels) {
  const std::vector<std::string>& kinds = options.kinds;
  const auto is_meant = [&](std::string_view kind) {
    return kinds.empty() ? kind != "tunings" : std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  const int64_t models = is_meant("models") ? ModelCache::clear(kernels.dir()) : 0;
  const int64_t removed = is_meant("kernels") ? kernels.clear() : 0;
  const int64_t peaks = is_meant("peaks") ? clear_peaks(kernels.dir()) : 0;
  const int64_t profiles = is_meant("profiles") ? clear_profiles(kernels.dir()) : 0;
  if (is_meant("tunings")) clear_tunings(settings);
  if (!options.json)
    return fmt::format("removed {} kernels and {} models, {} and {}{}\n", removed, models,
                       counted(peaks, "measurement") + " of peaks", counted(profiles, "profile"),
                       is_meant("tunings") ? ", and the results of tunings" : "");
  Json json;
  json["removed_kernels"] = removed;
  json["removed_models"] = models;
  json["removed_peaks"] = peaks;
  json["removed_profiles"] = profiles;
  json["removed_tunings"] = is_meant("tunings");
  return json_text(json, 2) + "\n";
}

std::string path(const CacheOptions& options, const Settings& settings) {
  if (!options.json) return settings.cache_dir + "\n";
  Json json;
  json["directory"] = settings.cache_dir;
  return json_text(json, 2) + "\n";
}

}  // namespace

ExitCode command_cache(const CacheOptions& options, const CancelToken&) {
  const Settings settings = read_settings(options);
  if (!options.kinds.empty() && options.action != "clear") user_error("--kind is for `cppgen cache clear`");
  for (const std::string& kind : options.kinds)
    if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds))
      user_error("--kind {}: expected {}", kind, fmt::join(kKinds, ", "));
  if (options.action == "path") {
    print_result(path(options, settings));
    return kDone;
  }
  KernelCache kernels(settings.cache_dir);
  if (options.action == "list") print_result(list(options, kernels));
  if (options.action == "stats") print_result(stats(options, settings, kernels));
  if (options.action == "clear") print_result(clear(options, settings, kernels));
  return kDone;
}

}  // namespace cppgen
