#include "cppgen/flow/compile/model_build.h"

#include <algorithm>

#include "cppgen/compile/asm_info.h"
#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/kernel_jobs.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/flow/compile/unit_reports.h"
#include "cppgen/flow/explain/decision_text.h"
#include "cppgen/flow/package/stored_models.h"
#include "cppgen/flow/reference/numeric_check.h"
#include "cppgen/flow/trace/kernel_benchmarks.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/package/package.h"
#include "runtime/plan/costs_json.h"

namespace cppgen {
namespace {

std::vector<std::string> object_names(const std::vector<CompileJob>& jobs) {
  std::vector<std::string> names;
  for (const CompileJob& job : jobs) names.push_back(job.name + ".so");
  return names;
}

}  // namespace

ModelBuild::ModelBuild(const CompileRequest& request)
    : request_(request),
      options_(compile_options(request)),
      files_(request),
      trace_(request),
      extras_(request),
      diagrams_(request),
      clock_(&request) {
  if (trace_.on()) options_.log_dirs.push_back(trace_.compiler_logs());
}

Graph ModelBuild::read() {
  Graph graph = files_.read(clock_, is_kept(request_));
  clock_.time("passes", [&] { simplify(graph, request_, &trace_, &clock_); });
  return graph;
}

void ModelBuild::build(const Settings& settings, const std::function<Graph()>& graph, const PlanCheck& check) {
  const IsaChoice choice(settings, options_);
  const auto settled = [&] { return clock_.time("probe", [&] { return &choice.settled(); }); };
  isa_ = &choice.likely();
  try {
    build_for_isa(graph(), check);
  } catch (const std::exception&) {
    if (settled() == isa_) throw;
  }
  if (settled() == isa_) return;
  isa_ = settled();
  build_for_isa(graph(), check);
}

// Makes kernels and plans of the graph.
void ModelBuild::build_for_isa(Graph graph, const PlanCheck& check) {
  target_ = target_of(*isa_, request_.settings);
  schedule_options_ = schedule_options(request_, *isa_);
  diagrams_.before_fusion(graph);
  emit(std::move(graph));
  const std::vector<CompileJob> jobs = make_jobs(parts_, *isa_, target_.tuning);
  const bool keep_originals = !request_.settings.freezing_discard_parameters;
  clock_.time("plan", [&] { make_plans(parts_, module_, object_names(jobs), target_, keep_originals); });
  if (check) check(described());
  compile(jobs);
  if (trace_.on()) trace_plans();
}

// Makes the texts of kernels from the graph.
void ModelBuild::emit(Graph graph) {
  ModelGraphs graphs = clock_.time("lower", [&] { return cut(std::move(graph)); });
  if (request_.settings.passes_numeric_check)
    clock_.time("numeric check", [&] { check_schedules(graphs.graphs, request_, schedule_options_, target_); });
  const auto trace = [&](const char* stage, const std::function<std::string()>& text) {
    poll(request_);
    if (trace_.on()) trace_.stage(stage, text());
  };
  parts_ = make_parts(graphs, request_.settings, schedule_options_, target_, clock_, "", trace);
  module_ = std::move(graphs.module);
  diagrams_.after_fusion(parts_, module_);
  note_decisions();
}

void ModelBuild::compile(const std::vector<CompileJob>& jobs) {
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
  unit_reports_ = unit_reports(jobs, objects_);
  trace_.write("units.txt", units_text(jobs, objects_, builder));
  if (!options_.asm_dir.empty()) {
    clock_.time("assembly", [&] { write_asm_info(jobs, options_, builder, options_.asm_dir); });
    log_written("ENABLE_ASM_INFO", options_.asm_dir);
  }
  if (request_.count_spills) clock_.time("assembly", [&] { loop_spills_ = loop_spills_of(jobs, options_, builder); });
  for (const auto& w : builder.warnings()) log_warning("{}", w);
}

void ModelBuild::note_decisions() {
  std::string all;
  for (const ModelPart& part : parts_) {
    const std::string text = decision_text(part.schedule.log);
    if (request_.settings.debug_fusion && request_.on_decisions) request_.on_decisions(text);
    all += text;
  }
  trace_.write("decisions.txt", all);
}

void ModelBuild::trace_plans() {
  std::vector<rt::Plan> plans;
  for (const ModelPart& part : parts_) plans.push_back(part.plan.plan);
  for (size_t i = 0; i < plans.size(); i++)
    trace_.write_result(module_ ? rt::plan_file_name(int32_t(i)) : std::string(rt::kPlanFile), rt::to_json(plans[i]));
  trace_.write_result(std::string(rt::kCostsFile), rt::costs_to_json(plans));
}

// The description that a loaded package would have.
rt::Plan ModelBuild::described() const {
  if (!module_) return parts_[0].plan.plan;
  std::vector<const rt::Plan*> plans;
  for (const ModelPart& part : parts_) plans.push_back(&part.plan.plan);
  return rt::outline_of(*module_, plans);
}

void ModelBuild::pack_trace(const std::string& error) {
  trace_.pack(request_, files_.record(), isa_ ? std::string(isa_->name) : "", error);
}

PackageContent ModelBuild::content(rt::VersionRow row) const {
  row.isa = isa_->name;
  return {parts_, module_, objects_, std::move(row)};
}

std::string ModelBuild::tuning_lines() const {
  if (!schedule_options_.choices || request_.choices) return "";
  return used_tuning_lines(*isa_, request_.settings, *schedule_options_.choices, sites_of(parts_));
}

CompileReport ModelBuild::report() const {
  CompileReport r;
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
  return r;
}

}  // namespace cppgen
