// cppgen cache
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/compile/kernel_cache.h"
#include "cppgen/package/model_cache.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"

namespace cppgen {
namespace {

using package::ModelCache;

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

std::string clear(const CacheOptions& options, KernelCache& kernels) {
  const int64_t models = ModelCache::clear(kernels.dir()), removed = kernels.clear();
  if (!options.json) return fmt::format("removed {} kernels and {} models\n", removed, models);
  Json json;
  json["removed_kernels"] = removed;
  json["removed_models"] = models;
  return json_text(json, 2) + "\n";
}

std::string path(const CacheOptions& options, const Settings& settings) {
  if (!options.json) return settings.cache_dir + "\n";
  Json json;
  json["directory"] = settings.cache_dir;
  return json_text(json, 2) + "\n";
}

}  // namespace

ExitCode command_cache(const CacheOptions& options) {
  const Settings settings = read_settings(options);
  if (options.action == "path") {
    print_result(path(options, settings));
    return kDone;
  }
  KernelCache kernels(settings.cache_dir);
  if (options.action == "list") print_result(list(options, kernels));
  if (options.action == "stats") print_result(stats(options, settings, kernels));
  if (options.action == "clear") print_result(clear(options, kernels));
  return kDone;
}

}  // namespace cppgen
