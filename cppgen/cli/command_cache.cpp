// cppgen cache
#include <fmt/format.h>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/json_writer.h"
#include "cppgen/compile/kernel_cache.h"
#include "cppgen/package/model_cache.h"
#include "runtime/base/errors.h"

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
  JsonWriter json;
  json.begin_object();
  json.begin_array("kernels");
  for (const auto& e : entries) {
    json.begin_object();
    json.field("key", e.key);
    json.field("name", e.name);
    json.field("bytes", e.bytes);
    json.field("last_used", int64_t(e.last_used));
    json.end_object();
  }
  json.end_array();
  json.begin_array("models");
  for (const ModelCache::Listed& m : models) {
    json.begin_object();
    json.field("key", m.key);
    json.field("model", m.about.model);
    json.list("settings", std::span<const std::string>(m.about.settings));
    json.field("bytes", m.bytes);
    json.field("last_used", int64_t(m.last_used));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

std::string stats(const CacheOptions& options, const Settings& settings, const KernelCache& kernels) {
  const KernelCache::Stats stats = kernels.stats();
  const size_t models = ModelCache::list(kernels.dir()).size();
  const int64_t model_bytes = ModelCache::stored_bytes(kernels.dir());
  if (!options.json)
    return fmt::format("directory  {}\nkernels    {}, {} (limit {})\nmodels     {}, {} (limit {})\n", kernels.dir(),
                       stats.entries, bytes_text(stats.bytes), bytes_text(settings.cache_size_limit), models,
                       bytes_text(model_bytes), bytes_text(settings.weights_cache_limit));
  JsonWriter json;
  json.begin_object();
  json.field("directory", kernels.dir());
  json.field("kernels", stats.entries);
  json.field("kernel_bytes", stats.bytes);
  json.field("kernel_bytes_limit", settings.cache_size_limit);
  json.field("models", models);
  json.field("model_bytes", model_bytes);
  json.field("model_bytes_limit", settings.weights_cache_limit);
  json.end_object();
  return json.take();
}

std::string clear(const CacheOptions& options, KernelCache& kernels) {
  const int64_t models = ModelCache::clear(kernels.dir()), removed = kernels.clear();
  if (!options.json) return fmt::format("removed {} kernels and {} models\n", removed, models);
  JsonWriter json;
  json.begin_object();
  json.field("removed_kernels", removed);
  json.field("removed_models", models);
  json.end_object();
  return json.take();
}

std::string path(const CacheOptions& options, const Settings& settings) {
  if (!options.json) return settings.cache_dir + "\n";
  JsonWriter json;
  json.begin_object();
  json.field("directory", settings.cache_dir);
  json.end_object();
  return json.take();
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
