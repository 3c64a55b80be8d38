#include "cppgen/flow/compile/compiler.h"

#include <fmt/format.h>

#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/known_compiler.h"
#include "cppgen/flow/compile/model_build.h"
#include "cppgen/flow/compile/model_source.h"
#include "cppgen/flow/compile/versions.h"
#include "cppgen/flow/package/model_package.h"
#include "cppgen/flow/package/package_output.h"
#include "cppgen/flow/package/stored_models.h"
#include "cppgen/flow/trace/ops_record.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

std::string timings(const CompileReport& report) {
  std::string text;
  for (const auto& [stage, seconds] : report.stages) text += fmt::format("{:<10} {:.6f} s\n", stage, seconds);
  return text + fmt::format("{:<10} {:.6f} s\n", "total", report.total_s);
}

// Makes a package for a request: the model is looked up, or built with its versions and put into its place.
class Compilation {
 public:
  explicit Compilation(const CompileRequest& request)
      : request_(request), model_(request), stored_(request, model_.options(), model_.files()) {}

  CompiledModel run() {
    require_readable_model(request_);
    require_chosen_compiler(request_.settings);
    if (stored_.usable() && !must_compile()) {
      const auto look_up = [&] { return stored_.find(model_sha256(request_)); };
      if (const auto entry = model_.clock().time("cache", look_up)) return from_cache(*entry);
    }
    version_requests_ = version_requests(request_);
    try {
      build([&] { return model_.read(); });
      build_versions();
      CompiledModel model = placed();
      model_.trace().write("timings.txt", timings(model.report));
      model_.pack_trace();
      return model;
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      model_.pack_trace(error.what());
      throw;
    }
  }

  CompiledModel run(Graph graph) {
    build([&] { return graph; });
    return placed();
  }

 private:
  const CompileRequest& request_;
  ModelBuild model_;
  const StoredModels stored_;
  std::vector<VersionRequest> version_requests_;
  std::vector<std::unique_ptr<ModelBuild>> versions_;  // of these requests
  const double start_ = StageClock::now();

  // A plan from the cache has no information about its compilation.
  bool must_compile() const {
    return request_.settings.recompile || request_.replace || request_.settings.debug_fusion ||
           model_.tells_of_stages() || !request_.settings.ops_record.empty() || request_.settings.benchmark_kernel ||
           request_.settings.passes_numeric_check;
  }

  CompiledModel from_cache(const StoredModels::Entry& entry) const {
    CompiledModel model;
    take(model, entry);
    model.report = report();
    model.report.from_cache = true;
    log_info("the compiled model is in the cache: {}", entry.package);
    return model;
  }

  static void take(CompiledModel& model, const StoredModels::Entry& entry) {
    model.package = entry.package, model.trusted = entry.trusted, model.keep_alive = entry.pin;
  }

  void build(const std::function<Graph()>& graph) {
    Settings settings = request_.settings;
    if (!version_requests_.empty()) choose_isa(settings, first_isa(settings));
    model_.build(settings, graph, [&](const rt::Plan& plan) {
      if (!version_requests_.empty()) check_versions(request_, plan);
      if (request_.before_kernels) request_.before_kernels(plan);
    });
  }

  void build_versions() {
    if (version_requests_.empty()) return;
    model_.clock().time("versions", [&] {
      for (const VersionRequest& version : version_requests_) {
        ModelBuild& build = *versions_.emplace_back(std::make_unique<ModelBuild>(version.request));
        build.build(version.request.settings, [&] { return build.read(); });
        if (build.files().record().model_sha256 != model_.files().record().model_sha256)
          throw ChangedFiles(fmt::format("{}: it changed while it was compiled", request_.model));
      }
    });
  }

  CompiledModel placed() {
    CompiledModel model;
    record_operations();
    model_.clock().time("package", [&] { place(model); });
    model_.extras().tell();
    model.report = report();
    model.sources = model_.files().paths();
    return model;
  }

  // Records versions for sizes in place of the general one, whose sizes are not known.
  void record_operations() const {
    const std::string& file = request_.settings.ops_record;
    if (file.empty()) return;
    const auto record = [&](const ModelBuild& build) {
      record_contractions(file, build.request(), std::string(build.isa().name), build.parts());
    };
    bool sized = false;
    for (size_t i = 0; i < versions_.size(); i++) {
      if (version_requests_[i].row.sizes.empty()) continue;
      record(*versions_[i]);
      sized = true;
    }
    if (!sized) record(model_);
  }

  void place(CompiledModel& model) {
    const bool from_files = model_.files().record().external != nullptr;
    if (from_files && stored_.usable()) {
      const bool share = &model_.isa() == &likely_isa(request_.settings);
      if (const auto entry = stored_.keep([&](const std::string& dir) { write_package(dir); }, share))
        return take(model, *entry);
    }
    auto temp = std::make_shared<TempDirectory>(
        request_.output.empty() ? system_temp_directory() : parent_of_output(request_.output), "cppgen-package.");
    write_package(temp->path());
    if (request_.output.empty()) {
      model.package = temp->path(), model.trusted = true, model.keep_alive = temp;
      return;
    }
    move_to_output(temp->path(), request_.output);
    model.package = request_.output;
  }

  void write_package(const std::string& dir) {
    std::vector<BuiltVersion> versions;
    for (size_t i = 0; i < versions_.size(); i++) versions.push_back({versions_[i].get(), version_requests_[i].row});
    write_model_package(dir, model_, versions);
  }

  CompileReport report() const {
    CompileReport r = model_.report();
    r.total_s = StageClock::now() - start_;
    if (!versions_.empty()) r.versions.push_back({rt::name_of(rt::SymbolSizes()), r.isa, r.kernels});
    for (size_t i = 0; i < versions_.size(); i++) {
      const CompileReport own = versions_[i]->report();
      r.versions.push_back({rt::name_of(version_requests_[i].row.sizes), own.isa, own.kernels});
      if (version_requests_[i].row.sizes.empty()) r.isa += "," + own.isa;
      r.kernels += own.kernels, r.units += own.units, r.cached_units += own.cached_units;
      r.unit_reports.insert(r.unit_reports.end(), own.unit_reports.begin(), own.unit_reports.end());
    }
    return r;
  }
};

// The request with the settings that are meant. AOT_DEBUG_COMPILE is for packages that are written for use elsewhere.
CompileRequest settled(CompileRequest request) {
  Settings& settings = request.settings;
  settle_foreign_compiler(settings);
  if (request.output.empty() || !settings.aot_debug_compile) return request;
  settings.set("NDEBUG", "0");
  if (settings.source(SettingId::debug_level).kind == SettingSource::fallback) settings.set("DEBUG_LEVEL", "1");
  return request;
}

}  // namespace

CompiledModel compile_model(const CompileRequest& given) {
  const CompileRequest request = settled(given);
  try {
    return Compilation(request).run();
  } catch (const ChangedFiles& changed) {
    user_error("{}: run the command again when the files are complete", changed.what());
  }
}

CompiledModel compile_graph(Graph graph, const CompileRequest& given) {
  const CompileRequest request = settled(given);
  return Compilation(request).run(std::move(graph));
}

}  // namespace cppgen
