#include "cppgen/flow/compiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/compile/asm_info.h"
#include "cppgen/compile/asm_writer.h"
#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/decision_text.h"
#include "cppgen/flow/graph_diagrams.h"
#include "cppgen/flow/isa_choice.h"
#include "cppgen/flow/kernel_benchmarks.h"
#include "cppgen/flow/kernel_jobs.h"
#include "cppgen/flow/known_compiler.h"
#include "cppgen/flow/model_key.h"
#include "cppgen/flow/model_parts.h"
#include "cppgen/flow/model_source.h"
#include "cppgen/flow/numeric_check.h"
#include "cppgen/flow/ops_record.h"
#include "cppgen/flow/package_extras.h"
#include "cppgen/flow/package_output.h"
#include "cppgen/flow/package_writer.h"
#include "cppgen/flow/remote_models.h"
#include "cppgen/flow/stages.h"
#include "cppgen/flow/tuning_results.h"
#include "cppgen/flow/versions.h"
#include "cppgen/ops/op.h"
#include "cppgen/package/model_cache.h"
#include "cppgen/package/plan_builder.h"
#include "cppgen/schedule/schedule.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/base/usable_cpus.h"
#include "runtime/package/metadata.h"
#include "runtime/package/package.h"
#include "runtime/plan/costs_json.h"

namespace cppgen {
namespace {

// Not an error of the cache: nothing that was read can be trusted.
struct ChangedFiles : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Compilation {
 public:
  explicit Compilation(const CompileRequest& request)
      : request_(request),
        options_(compile_options(request)),
        custom_(rt::read_custom_files(custom_operator_paths(request))),
        trace_(request),
        extras_(request),
        diagrams_(request),
        clock_(&request) {
    if (trace_.on()) options_.log_dirs.push_back(trace_.compiler_logs());
  }

  CompiledModel run() {
    double start = StageClock::now();
    require_readable_model(request_);
    require_chosen_compiler(request_.settings);
    if (may_use_cache() && !must_compile()) {
      if (const auto entry = clock_.time("cache", [&] { return cached(model_sha256(request_)); }))
        return from_cache(*entry, start);
    }
    version_requests_ = version_requests(request_);
    try {
      build([&] { return read(); });
      build_versions();
      CompiledModel model = placed(start);
      trace_.write("timings.txt", timings(model.report));
      pack_trace();
      return model;
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      pack_trace(error.what());
      throw;
    }
  }

  CompiledModel run(Graph graph) {
    double start = StageClock::now();
    build([&] { return graph; });
    return placed(start);
  }

 private:
  const CompileRequest& request_;
  CompileOptions options_;
  const std::vector<rt::CustomFile> custom_;  // as they were in the beginning
  Trace trace_;
  PackageExtras extras_;
  const GraphDiagrams diagrams_;
  StageClock clock_;
  // The key of the files before anything is computed from them. Computed only for the cache, because it reads them
  // completely.
  std::string external_key_;
  ImportRecord source_;  // without external files: a graph that is not from a file
  const VecISA* isa_ = nullptr;
  schedule::Target target_;
  std::optional<rt::Module> module_;
  std::vector<ModelPart> parts_;
  std::vector<CompiledObject> objects_;
  std::vector<UnitReport> unit_reports_;
  std::map<std::string, int64_t> loop_spills_;  // by kernel
  std::vector<VersionRequest> version_requests_;
  std::vector<std::unique_ptr<Compilation>> versions_;  // of these requests

  // A plan from the cache has no information about its compilation.
  bool must_compile() const {
    return request_.settings.recompile || request_.replace || request_.settings.debug_fusion || trace_.on() ||
           diagrams_.on() || !options_.asm_dir.empty() || !request_.settings.ops_record.empty() ||
           request_.settings.benchmark_kernel || request_.settings.passes_numeric_check;
  }

  bool caching() const { return options_.kernel_cache && !options_.force_disable_caches && request_.output.empty(); }

  bool may_use_cache() const { return caching() && make_private_directory(options_.cache_dir, "CACHE_DIR") == 0; }

  package::ModelCache model_cache(const std::string& model_sha256) const {
    return package::ModelCache(options_.cache_dir, model_key(request_, custom_, model_sha256), model_folder(request_));
  }

  std::optional<package::ModelCache::Entry> cached(const std::string& model_sha256) const {
    package::ModelCache cache = model_cache(model_sha256);
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

  // If the package depends on nothing but its key, and is no trial of a tuning.
  std::optional<RemoteModels> remote_models(const std::string& model_sha256) const {
    if (!options_.remote_cache || options_.debug_level != "0" || !custom_.empty() || request_.choices ||
        !request_.versions.empty() || possible_isas(request_.settings).size() != 1)
      return std::nullopt;
    const Toolchain toolchain = Toolchain::find(options_.cxx);
    Hasher key;
    key.field("model", model_key(request_, custom_, model_sha256));
    key.field("compiler", toolchain.identity).field("command", toolchain.command);
    return std::make_optional<RemoteModels>(*options_.remote_cache, key.hex());
  }

  CompiledModel from_cache(const package::ModelCache::Entry& entry, double start) {
    CompiledModel model;
    model.package = entry.package, model.trusted = entry.trusted, model.keep_alive = entry.pin;
    model.report = report(start);
    model.report.from_cache = true;
    log_info("the compiled model is in the cache: {}", entry.package);
    return model;
  }

  // Records versions for sizes in place of the general one, whose sizes are not known.
  void record_operations() const {
    const std::string& file = request_.settings.ops_record;
    if (file.empty()) return;
    bool sized = false;
    for (size_t i = 0; i < versions_.size(); i++) {
      if (version_requests_[i].row.sizes.empty()) continue;
      record_contractions(file, versions_[i]->request_, std::string(versions_[i]->isa_->name), versions_[i]->parts_);
      sized = true;
    }
    if (!sized) record_contractions(file, request_, std::string(isa_->name), parts_);
  }

  CompiledModel placed(double start) {
    CompiledModel model;
    record_operations();
    clock_.time("package", [&] { place(model); });
    extras_.tell();
    model.report = report(start);
    model.sources = sources();
    return model;
  }

  std::vector<std::string> sources() const {
    std::vector<std::string> files;
    if (!request_.bytes) files.push_back(request_.model);
    if (source_.external)
      for (const std::string& location : source_.external->locations())
        files.push_back(model_folder(request_) + "/" + location);
    for (const rt::CustomFile& file : custom_) files.push_back(file.path);
    return files;
  }

  Graph read() {
    Graph graph = clock_.time("read", [&] { return import_model(request_, custom_, &source_); });
    if (caching()) clock_.time("read", [&] { external_key_ = external_key(); });
    if (source_.external->may_have_changed()) throw ChangedFiles(changed_text());
    clock_.time("passes", [&] { simplify(graph, request_, &trace_, &clock_); });
    return graph;
  }

  // Kernels are compiled for the instruction set that the CPU reports, and again for another one if its probe fails.
  void build(const std::function<Graph()>& graph) {
    Settings settings = request_.settings;
    if (!version_requests_.empty()) choose_isa(settings, first_isa(settings));
    const IsaChoice choice(settings, options_);
    const auto settled = [&] { return clock_.time("probe", [&] { return &choice.settled(); }); };
    isa_ = &choice.likely();
    try {
      build_for_isa(graph());
    } catch (const std::exception&) {
      if (settled() == isa_) throw;
    }
    if (settled() == isa_) return;
    isa_ = settled();
    build_for_isa(graph());
  }

  void build_versions() {
    if (version_requests_.empty()) return;
    clock_.time("versions", [&] {
      for (const VersionRequest& version : version_requests_) {
        versions_.push_back(std::make_unique<Compilation>(version.request));
        Compilation& compilation = *versions_.back();
        compilation.build([&] { return compilation.read(); });
        if (compilation.source_.model_sha256 != source_.model_sha256)
          throw ChangedFiles(fmt::format("{}: it changed while it was compiled", request_.model));
      }
    });
  }

  // From the graph to kernels and plans.
  void build_for_isa(Graph graph) {
    target_ = target_of(*isa_, request_.settings);
    if (request_.choices) target_.choices = request_.choices;
    diagrams_.before_fusion(graph);
    ModelGraphs graphs = clock_.time("lower", [&] { return cut(std::move(graph), request_.states); });
    if (request_.settings.passes_numeric_check)
      clock_.time("numeric check", [&] { check_schedules(graphs.graphs, request_, target_); });
    auto trace = [&](const char* stage, const std::function<std::string()>& text) {
      poll(request_);
      if (trace_.on()) trace_.stage(stage, text());
    };
    parts_ = make_parts(graphs, request_.settings, target_, clock_, "", trace);
    module_ = std::move(graphs.module);
    diagrams_.after_fusion(parts_, module_);
    note_decisions();
    const std::vector<CompileJob> jobs = make_jobs(parts_, *isa_, target_.tuning);
    const bool keep_originals = !request_.settings.freezing_discard_parameters;
    clock_.time("plan",
                [&] { make_plans(parts_, module_, object_names(jobs), std::string(isa_->name), keep_originals); });
    if (!version_requests_.empty()) check_versions(request_, described());
    if (request_.before_kernels) request_.before_kernels(described());
    compile(jobs);
    if (!trace_.on()) return;
    std::vector<rt::Plan> plans;
    for (const ModelPart& part : parts_) plans.push_back(part.plan.plan);
    for (size_t i = 0; i < plans.size(); i++)
      trace_.write_result(module_ ? rt::plan_file_name(int32_t(i)) : std::string(rt::kPlanFile), rt::to_json(plans[i]));
    trace_.write_result(std::string(rt::kCostsFile), rt::costs_to_json(plans));
  }

  void pack_trace(const std::string& error = "") {
    trace_.pack(request_, source_, isa_ ? std::string(isa_->name) : "", error);
  }

  void note_decisions() {
    std::string all;
    for (const ModelPart& part : parts_) {
      const std::string text = decision_text(part.schedule.log);
      if (request_.settings.debug_fusion && request_.on_decisions) request_.on_decisions(text);
      all += text;
    }
    trace_.write("decisions.txt", all);
  }

  static std::string timings(const CompileReport& report) {
    std::string text;
    for (const auto& [stage, seconds] : report.stages) text += fmt::format("{:<10} {:.6f} s\n", stage, seconds);
    return text + fmt::format("{:<10} {:.6f} s\n", "total", report.total_s);
  }

  // The description that a loaded package would have.
  rt::Plan described() const {
    if (!module_) return parts_[0].plan.plan;
    std::vector<const rt::Plan*> plans;
    for (const ModelPart& part : parts_) plans.push_back(&part.plan.plan);
    return rt::outline_of(*module_, plans);
  }

  void compile(const std::vector<CompileJob>& jobs) {
    for (const CompileJob& job : jobs) trace_.write_result(job.name + ".cpp", job.source);
    if (request_.instead_of_compiler) return request_.instead_of_compiler(jobs);
    if (jobs.empty()) return;
    KernelBuilder builder(options_);
    objects_ = clock_.time("compile", [&] { return builder.build(jobs); });
    const auto cached = std::count_if(objects_.begin(), objects_.end(), [](const auto& o) { return o.from_cache; });
    log_info("{} of kernels, {} of them from the cache", counted(int64_t(jobs.size()), "unit"), cached);
    if (!options_.worker_log_path.empty() && cached < int64_t(jobs.size()))
      log_written("WORKER_LOG_PATH", options_.worker_log_path);
    extras_.note_units(jobs, builder, options_);
    if (request_.settings.benchmark_kernel)
      write_kernel_benchmarks(request_, parts_, module_.has_value(), *isa_, builder.command_of(jobs[0]));
    unit_reports_.clear();
    for (size_t i = 0; i < jobs.size(); i++)
      unit_reports_.push_back({jobs[i].name, jobs[i].expected_symbols.size(), objects_[i].from_cache,
                               objects_[i].seconds, objects_[i].begin});
    trace_.write("units.txt", units_text(jobs, builder));
    if (!options_.asm_dir.empty()) {
      clock_.time("assembly", [&] { write_asm_info(jobs, options_, builder, options_.asm_dir); });
      log_written("ENABLE_ASM_INFO", options_.asm_dir);
    }
    if (request_.count_spills) clock_.time("assembly", [&] { count_spills(jobs, builder); });
    for (const auto& w : builder.warnings()) log_warning("{}", w);
  }

  void count_spills(const std::vector<CompileJob>& jobs, KernelBuilder& builder) {
    for (const auto& [function, assembly] : assembly_of(jobs, options_, builder))
      loop_spills_[function] = count_instructions(function + ":\n" + assembly, {function})[0].loop_spills;
  }

  // Which log is that of which unit; those from the cache have none.
  std::string units_text(const std::vector<CompileJob>& jobs, const KernelBuilder& builder) const {
    std::string text;
    for (size_t i = 0; i < jobs.size(); i++)
      text += fmt::format("{}: {}, {}\n", jobs[i].name, objects_[i].from_cache ? "from the cache" : "compiled",
                          builder.key_of(jobs[i]).hex.substr(0, 16));
    return text;
  }

  static std::vector<std::string> object_names(const std::vector<CompileJob>& jobs) {
    std::vector<std::string> names;
    for (const CompileJob& job : jobs) names.push_back(job.name + ".so");
    return names;
  }

  PackageContent content(rt::VersionRow row) const {
    row.isa = isa_->name;
    return {parts_, module_, objects_, std::move(row)};
  }

  // The lines of all versions.
  std::string tunings_in_use() const {
    std::string lines;
    if (target_.choices && !request_.choices)
      lines = used_tuning_lines(*isa_, request_.settings, *target_.choices, sites_of(parts_));
    for (const auto& version : versions_) lines += version->tunings_in_use();
    return lines;
  }

  void bundle_tunings(const std::string& dir) const {
    const std::string lines = tunings_in_use();
    if (lines.empty()) return;
    const std::string file = dir + "/" + kBundledResults;
    if (const int e = write_file(file, lines)) user_error("{}: cannot be written: {}", file, error_text(e));
  }

  void write_package(const std::string& dir) {
    clock_.time("weights", [&] {
      std::vector<PackageContent> contents{content({})};
      for (size_t i = 0; i < versions_.size(); i++) contents.push_back(versions_[i]->content(version_requests_[i].row));
      write_contents(dir, contents, int(std::clamp<int64_t>(options_.compile_threads, 1, 8)));
      check_external();
      extras_.add_before_manifest(dir, called_functions(parts_, module_));
      bundle_tunings(dir);
      if (!source_.metadata.empty()) rt::write_metadata(dir, source_.metadata);
      for (size_t i = 0; i < versions_.size(); i++)
        versions_[i]->extras_.add_before_manifest(rt::version_directory(dir, version_requests_[i].row),
                                                  called_functions(versions_[i]->parts_, versions_[i]->module_));
      rt::write_manifest(dir, std::string(isa_->name));
    });
    extras_.add_after_manifest(dir);
  }

  // Called after all external data has been read: it must not have changed since the start.
  void check_external() const {
    if (!source_.external || !source_.external->may_have_changed()) return;
    if (external_key_.empty() || external_key() != external_key_) throw ChangedFiles(changed_text());
  }

  std::string changed_text() const {
    return fmt::format("{}: its external data changed while it was compiled", request_.model);
  }

  std::string external_key() const { return source_.external->content_key(usable_cpus()); }

  package::ModelCache::Description description() const {
    package::ModelCache::Description about{model_place(request_), {}};
    for (const SettingDescription& setting : request_.settings.describe())
      if ((setting.in_key || setting.name == "CXX") && setting.source != "default")
        about.settings.push_back(fmt::format("{}={}", setting.name, setting.value));
    for (const DimOption& dim : request_.dims) about.settings.push_back(to_string(dim));
    for (const rt::SymbolSizes& sizes : request_.versions) about.settings.push_back("--sizes " + rt::name_of(sizes));
    return about;
  }

  // False if the cache cannot take it.
  bool place_in_cache(CompiledModel& model) {
    package::ModelCache cache = model_cache(source_.model_sha256);
    const auto published = cache.publish(
        *source_.external, external_key_, description(), [&](const std::string& dir) { write_package(dir); },
        request_.settings.recompile || request_.replace);
    if (!published.reason.empty())
      log_warning("the cache {} cannot be written ({}): the model will be compiled again next time", options_.cache_dir,
                  published.reason);
    if (!published.entry) return false;
    remember_compiler(request_.settings);
    package::ModelCache::trim(options_.cache_dir, request_.settings.weights_cache_limit);
    model.package = published.entry->package, model.trusted = published.entry->trusted;
    model.keep_alive = published.entry->pin;
    if (isa_ == &likely_isa(request_.settings))
      if (auto remote = remote_models(source_.model_sha256))
        remote->store(model.package, *source_.external, external_key_);
    return true;
  }

  void place(CompiledModel& model) {
    if (source_.external && may_use_cache() && place_in_cache(model)) return;
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

  CompileReport report(double start) {
    CompileReport r;
    r.total_s = StageClock::now() - start;
    r.weights_s = clock_.of("weights");
    r.stages = clock_.stages();
    r.parts = clock_.parts();
    r.spans = clock_.spans();
    r.unit_reports = unit_reports_;
    r.sites = sites_of(parts_);
    for (SiteReport& site : r.sites)
      if (const auto found = loop_spills_.find(site.kernel); found != loop_spills_.end())
        site.loop_spills = found->second;
    for (const ModelPart& part : parts_) r.kernels += int(part.kernels.size());
    r.units = int(objects_.size());
    for (const auto& o : objects_) r.cached_units += o.from_cache;
    r.isa = isa_ ? std::string(isa_->name) : "";
    add_versions(r, start);
    return r;
  }

  void add_versions(CompileReport& r, double start) {
    if (!versions_.empty()) r.versions.push_back({rt::name_of(rt::SymbolSizes()), r.isa, r.kernels});
    for (size_t i = 0; i < versions_.size(); i++) {
      const CompileReport own = versions_[i]->report(start);
      r.versions.push_back({rt::name_of(version_requests_[i].row.sizes), own.isa, own.kernels});
      if (version_requests_[i].row.sizes.empty()) r.isa += "," + own.isa;
      r.kernels += own.kernels, r.units += own.units, r.cached_units += own.cached_units;
      r.unit_reports.insert(r.unit_reports.end(), own.unit_reports.begin(), own.unit_reports.end());
    }
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
