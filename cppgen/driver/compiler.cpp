#include "cppgen/driver/compiler.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <future>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/driver/decision_text.h"
#include "cppgen/driver/loop_text.h"
#include "cppgen/driver/stages.h"
#include "cppgen/import/summary.h"
#include "cppgen/ops/op.h"
#include "cppgen/package/model_cache.h"
#include "cppgen/package/plan_builder.h"
#include "cppgen/package/weights.h"
#include "cppgen/schedule/schedule.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/temp_directory.h"
#include "isa/cpu_features.h"
#include "runtime/abi/abi.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/session/package.h"
#include "runtime/session/version.h"
#include "runtime/threads/topology.h"

namespace cppgen {
namespace {

const MachineDescription& this_machine() {
  static const MachineDescription machine = rt::machine_description(rt::topology_of_this_machine());
  return machine;
}

// What tells this build of the compiler from another one of the same version: they may emit different kernels.
std::string build_identity() {
  struct stat info {};
  if (stat("/proc/self/exe", &info) != 0) return {};
  return fmt::format("{} {}.{:09}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

// One TU per worker, compiled side by side.
struct Objects {
  std::vector<CompiledObject> objects;
  std::vector<int> library_of_kernel;
};

class Compilation {
 public:
  explicit Compilation(const CompileRequest& request)
      : request_(request), options_(compile_options(request)), trace_(request) {}

  CompiledModel run() {
    double start = StageClock::now();
    check_readable();
    auto cache = model_cache();
    if (cache && !must_compile())
      if (auto package = clock_.time("cache", [&] { return cache->find(); })) return from_cache(*package, start);
    build(read_and_simplify(request_, clock_, &trace_));
    CompiledModel model = placed(std::move(cache), start);
    trace_.write("timings.txt", timings(model.report));
    return model;
  }

  CompiledModel run(Graph graph) {
    double start = StageClock::now();
    build(std::move(graph));
    return placed(std::nullopt, start);
  }

 private:
  const CompileRequest& request_;
  CompileOptions options_;
  Trace trace_;
  StageClock clock_;
  const VecISA* isa_ = nullptr;
  schedule::Schedule schedule_;
  std::vector<codegen::KernelText> kernels_;
  Objects objects_;
  package::PlanAndWeights plan_;
  std::vector<std::string> input_names_, output_names_;
  std::string model_name_;

  void check_readable() const {
    if (access(request_.model.c_str(), R_OK) != 0)
      user_error("{}: cannot be read: {}", request_.model, error_text(errno));
  }

  std::string folder() const {
    auto parent = std::filesystem::path(request_.model).parent_path().string();
    return parent.empty() ? "." : parent;
  }

  // A plan from the cache has nothing to tell about its compilation.
  bool must_compile() const { return request_.settings.recompile || request_.settings.debug_fusion || trace_.on(); }

  bool caching() const { return options_.use_cache && !options_.disable_caches && request_.output.empty(); }

  // Everything but the external data that decides what is in the package.
  std::string model_key() const {
    const VecISA& isa = choose_isa(request_.settings, options_, false);
    Hasher hasher;
    hasher.field("model", file_sha256_hex(request_.model));
    hasher.field("name", std::filesystem::path(request_.model).filename().string());
    hasher.field("settings", request_.settings.key_text());
    for (const auto& d : request_.dims)
      hasher.field("dim", fmt::format("{}|{}|{}|{}", d.input, d.axis, d.symbol, d.size.value_or(-1)));
    hasher.field("isa", std::string(isa.name))
        .field("l2", this_machine().l2_bytes)
        .field("l3", this_machine().l3_bytes)
        .field("units", units());
    hasher.field("vendor", cpu_vendor());
    hasher.field("build", build_identity());
    hasher.field("headers", embedded_headers_hash()).field("abi", CPPGEN_ABI_VERSION).field("version", rt::kVersion);
    return hasher.hex();
  }

  int64_t units() const { return std::max<int64_t>(1, options_.threads); }

  std::optional<package::ModelCache> model_cache() {
    if (!caching()) return std::nullopt;
    if (make_private_directory(options_.cache_dir, "CACHE_DIR") != 0) return std::nullopt;
    return clock_.time("cache", [&] { return package::ModelCache(options_.cache_dir, model_key(), folder()); });
  }

  CompiledModel from_cache(const std::string& package, double start) {
    CompiledModel model;
    model.package = package;
    model.trusted = package::ModelCache::is_settled(package);
    model.report = report(start);
    model.report.from_cache = true;
    return model;
  }

  CompiledModel placed(std::optional<package::ModelCache> cache, double start) {
    CompiledModel model;
    clock_.time("package", [&] { place(cache, model); });
    model.report = report(start);
    return model;
  }

  // From the graph to kernels and plan.
  void build(Graph graph) {
    remember_names(graph);
    auto program = clock_.time("lower", [&] { return ops::lower(graph); });
    trace_program("lower", program);
    isa_ = clock_.time("probe", [&] { return &choose_isa(request_.settings, options_, true); });
    auto target = target_of(*isa_, this_machine());
    schedule_ = clock_.time("schedule", [&] {
      return schedule::make_schedule(std::move(program), schedule_options(request_.settings), target,
                                     [&](const char* stage, const ir::Program& p) { trace_program(stage, p); });
    });
    if (request_.settings.debug_fusion) std::fputs(decision_text(schedule_.log).c_str(), stderr);
    kernels_ = clock_.time("codegen", [&] { return emit_kernels(schedule_, target, request_.settings); });
    compile();
    plan_ = clock_.time("plan", [&] { return make_plan(); });
    if (trace_.on()) trace_.write(std::string(rt::kPlanFile), rt::to_json(plan_.plan));
  }

  void trace_program(const char* stage, const ir::Program& program) {
    if (trace_.on()) trace_.stage(stage, ir::to_string(program));
  }

  static std::string timings(const CompileReport& report) {
    std::string text;
    for (const auto& [stage, seconds] : report.stages) text += fmt::format("{:<10} {:.6f} s\n", stage, seconds);
    return text + fmt::format("{:<10} {:.6f} s\n", "total", report.total_s);
  }

  void remember_names(const Graph& graph) {
    for (ValueId v : graph.inputs) input_names_.push_back(graph.value(v).name);
    for (ValueId v : graph.outputs) output_names_.push_back(graph.value(v).name);
    model_name_ = graph.name;
  }

  void compile() {
    auto holder = codegen::share_functions(kernels_);
    auto units = codegen::balance(kernels_, int(this->units()));
    std::vector<CompileJob> jobs;
    objects_.library_of_kernel.resize(kernels_.size());
    for (const auto& unit : units) {
      if (unit.empty()) continue;
      CompileJob job;
      job.name = fmt::format("kernels_{}", jobs.size());
      job.isa_name = std::string(isa_->name);
      job.isa_flags = {isa_->compiler_flags.begin(), isa_->compiler_flags.end()};
      std::vector<const codegen::KernelText*> texts;
      for (size_t k : unit) {
        objects_.library_of_kernel[k] = int(jobs.size());
        texts.push_back(&kernels_[k]);
        job.expected_symbols.push_back(kernels_[k].name);
      }
      job.source = codegen::translation_unit(texts, std::string(isa_->folder));
      jobs.push_back(std::move(job));
    }
    for (size_t k = 0; k < kernels_.size(); k++) objects_.library_of_kernel[k] = objects_.library_of_kernel[holder[k]];
    for (const CompileJob& job : jobs) trace_.write(job.name + ".cpp", job.source);
    if (jobs.empty()) return;
    KernelBuilder builder(options_);
    objects_.objects = clock_.time("compile", [&] { return builder.build(jobs); });
    for (const auto& w : builder.warnings()) log_warning("{}", w);
  }

  package::PlanAndWeights make_plan() {
    std::vector<std::string> libraries;
    for (const auto& o : objects_.objects) libraries.push_back(o.name + ".so");
    return package::build_plan({schedule_, kernels_, objects_.library_of_kernel, libraries, input_names_, output_names_,
                                model_name_, std::string(isa_->name)});
  }

  void write_package(const std::string& dir) {
    for (const auto& o : objects_.objects)
      if (int e = write_file(dir + "/" + o.name + ".so", read_object(o)))
        user_error("{}/{}.so: cannot be written: {}", dir, o.name, error_text(e));
    if (int e = write_file(dir + "/" + std::string(rt::kPlanFile), rt::to_json(plan_.plan)))
      user_error("{}: cannot write the plan: {}", dir, error_text(e));
    clock_.time("weights", [&] {
      package::write_weights(dir + "/" + std::string(rt::kWeightsFile), schedule_, plan_.weights,
                             plan_.plan.weights_bytes, int(std::min<int64_t>(units(), 8)));
      rt::write_manifest(dir, std::string(isa_->name));
    });
  }

  void place(std::optional<package::ModelCache>& cache, CompiledModel& model) {
    auto write = [&](const std::string& dir) { write_package(dir); };
    if (cache) {
      auto external = summarize_onnx(request_.model).external_files;
      if (auto published = cache->publish(external, write, request_.settings.recompile)) {
        model.package = *published;
        model.trusted = package::ModelCache::is_settled(*published);
        return;
      }
      log_warning("the cache {} cannot be written: the model is kept for this run only", options_.cache_dir);
    }
    auto temp = std::make_shared<TempDirectory>(request_.output.empty() ? system_temp_directory() : output_parent(),
                                                "cppgen-package.");
    write(temp->path());
    if (request_.output.empty()) {
      model.package = temp->path(), model.trusted = true, model.keep_alive = temp;
      return;
    }
    move_to_output(temp->path());
    model.package = request_.output;
  }

  std::string output_parent() const {
    auto parent = std::filesystem::absolute(request_.output).parent_path().string();
    if (int e = make_directories(parent)) user_error("{}: cannot be made: {}", parent, error_text(e));
    return parent;
  }

  // Replaces an earlier package whole; refuses to replace anything else.
  void move_to_output(const std::string& staged) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path target = request_.output;
    if (fs::exists(target) &&
        !(fs::is_directory(target) && (fs::is_empty(target) || fs::exists(target / "manifest.json"))))
      user_error("{} exists and is no package: choose another output", request_.output);
    std::string content = staged + "/content";
    fs::create_directory(content);
    for (const auto& entry : fs::directory_iterator(staged))
      if (entry.is_regular_file()) fs::rename(entry.path(), content / entry.path().filename(), error);
    if (fs::exists(target)) fs::rename(target, staged + "/old", error);
    fs::rename(content, target, error);
    if (error) user_error("{}: cannot be written: {}", request_.output, error.message());
    fs::permissions(target,
                    fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                        fs::perms::others_exec,
                    error);
  }

  CompileReport report(double start) {
    CompileReport r;
    r.total_s = StageClock::now() - start;
    r.weights_s = clock_.of("weights");
    r.stages = clock_.stages();
    r.kernels = int(kernels_.size()), r.units = int(objects_.objects.size());
    for (const auto& o : objects_.objects) r.cached_units += o.from_cache;
    r.isa = isa_ ? std::string(isa_->name) : "";
    return r;
  }
};

}  // namespace

CompiledModel compile_model(const CompileRequest& request) { return Compilation(request).run(); }

CompiledModel compile_graph(Graph graph, const CompileRequest& request) {
  return Compilation(request).run(std::move(graph));
}

Explanation explain_model(const CompileRequest& request) {
  StageClock clock;
  Trace trace(request);
  Graph graph = read_and_simplify(request, clock, &trace);
  CompileOptions options = compile_options(request);
  const VecISA& isa = choose_isa(request.settings, options, false);
  auto target = target_of(isa, this_machine());
  auto schedule = schedule::make_schedule(ops::lower(graph), schedule_options(request.settings), target);
  auto kernels = emit_kernels(schedule, target, request.settings);
  Explanation result;
  result.isa = std::string(isa.name);
  result.layouts = schedule::layout_report(schedule);
  result.index = schedule.program.index;
  result.decisions = std::move(schedule.log);
  size_t next = 0;
  for (const auto& step : schedule.steps) {
    if (const auto* k = std::get_if<schedule::FusedKernel>(&step)) {
      const codegen::KernelText& text = kernels[next++];
      result.steps.push_back({k->name, k->kind == schedule::KernelKind::loops ? "loops" : "cppgen", k->origins,
                              loop_text(*k), text.comment + text.code});
    } else if (const auto* call = std::get_if<schedule::LibraryStep>(&step)) {
      result.steps.push_back({call->function, call->engine, call->origins, "", ""});
    }
  }
  return result;
}

ReferenceModel::ReferenceModel(const CompileRequest& request) {
  StageClock clock;
  Graph graph = read_and_simplify(request, clock);
  for (ValueId v : graph.inputs) input_names_.push_back(graph.value(v).name);
  for (ValueId v : graph.outputs) output_names_.push_back(graph.value(v).name);
  program_ = ops::lower(graph);
}

std::vector<ir::HostTensor> ReferenceModel::run(const std::vector<ir::HostTensor>& inputs) const {
  return ir::interpret(program_, inputs);
}

}  // namespace cppgen
