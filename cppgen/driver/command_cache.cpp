// cppgen cache
#include <fmt/format.h>

#include <filesystem>

#include "cppgen/compile/kernel_cache.h"
#include "cppgen/driver/command_support.h"
#include "cppgen/driver/commands.h"
#include "cppgen/driver/json_writer.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

// Whole models: packages "<cache>/models/<model key>/<weights key>" (package/model_cache.h).
struct Model {
  std::string key;
  int64_t bytes = 0;
};

int64_t bytes_below(const fs::path& directory) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end; it != end && !error; it.increment(error))
    if (it->is_regular_file(error) && !it->is_symlink(error)) bytes += int64_t(it->file_size(error));
  return bytes;
}

std::vector<Model> list_models(const std::string& cache) {
  std::vector<Model> models;
  std::error_code error;
  for (fs::directory_iterator model(cache + "/models", error), end; model != end && !error; model.increment(error))
    for (const auto& weights : fs::directory_iterator(model->path(), error))
      if (fs::exists(weights.path() / "manifest.json", error))
        models.push_back({model->path().filename().string() + "/" + weights.path().filename().string(),
                          bytes_below(weights.path())});
  return models;
}

int64_t total(const std::vector<Model>& models) {
  int64_t bytes = 0;
  for (const Model& model : models) bytes += model.bytes;
  return bytes;
}

std::string date(time_t time) {
  struct tm parts {};
  char text[32] = "";
  if (localtime_r(&time, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

std::string list(const CacheOptions& options, const KernelCache& kernels) {
  const std::vector<KernelCache::Entry> entries = kernels.list();
  const std::vector<Model> models = list_models(kernels.dir());
  if (!options.json) {
    std::string text;
    for (const auto& e : entries)
      text += fmt::format("kernel  {:.16}  {:>10}  {}  {}\n", e.key, bytes_text(e.bytes), date(e.last_used),
                          printable(e.name));
    for (const Model& m : models) text += fmt::format("model   {:.16}  {:>10}\n", m.key, bytes_text(m.bytes));
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
  for (const Model& m : models) {
    json.begin_object();
    json.field("key", m.key);
    json.field("bytes", m.bytes);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

std::string stats(const CacheOptions& options, const Settings& settings, const KernelCache& kernels) {
  const KernelCache::Stats stats = kernels.stats();
  const std::vector<Model> models = list_models(kernels.dir());
  if (!options.json)
    return fmt::format("directory  {}\nkernels    {}, {} (limit {})\nmodels     {}, {}\n", kernels.dir(), stats.entries,
                       bytes_text(stats.bytes), bytes_text(settings.cache_size_limit), models.size(),
                       bytes_text(total(models)));
  JsonWriter json;
  json.begin_object();
  json.field("directory", kernels.dir());
  json.field("kernels", stats.entries);
  json.field("kernel_bytes", stats.bytes);
  json.field("kernel_bytes_limit", settings.cache_size_limit);
  json.field("models", models.size());
  json.field("model_bytes", total(models));
  json.end_object();
  return json.take();
}

std::string clear(const CacheOptions& options, KernelCache& kernels) {
  const std::vector<Model> models = list_models(kernels.dir());
  remove_tree(kernels.dir() + "/models");
  const int64_t removed = kernels.clear();
  if (!options.json) return fmt::format("removed {} kernels and {} models\n", removed, models.size());
  JsonWriter json;
  json.begin_object();
  json.field("removed_kernels", removed);
  json.field("removed_models", models.size());
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
