#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/compile_job.h"
#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/compile/source_files.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/explain/graph_diagrams.h"
#include "cppgen/flow/package/package_extras.h"
#include "cppgen/flow/package/package_writer.h"
#include "cppgen/flow/trace/trace.h"

namespace cppgen {

// A model, or a version of it, on its way from files or a graph to plans and compiled kernels.
class ModelBuild {
 public:
  // Called with the plan that a loaded package would have, before kernels are compiled.
  using PlanCheck = std::function<void(const rt::Plan&)>;

  explicit ModelBuild(const CompileRequest&);

  // The graph of the files, after the passes.
  Graph read();

  // Kernels are compiled for the instruction set that `settings` choose and the CPU reports, and again, from another
  // call of `graph`, for another one if its probe fails.
  void build(const Settings&, const std::function<Graph()>& graph, const PlanCheck& = nullptr);

  const CompileRequest& request() const { return request_; }
  const CompileOptions& options() const { return options_; }
  const SourceFiles& files() const { return files_; }
  const PackageExtras& extras() const { return extras_; }
  const std::vector<ModelPart>& parts() const { return parts_; }
  const std::optional<rt::Module>& module() const { return module_; }
  const VecISA& isa() const { return *isa_; }  // once it is built
  StageClock& clock() { return clock_; }
  Trace& trace() { return trace_; }

  // Returns whether files tell of the stages, which a model from the cache has not gone through.
  bool tells_of_stages() const { return trace_.on() || diagrams_.on() || !options_.asm_dir.empty(); }
  void pack_trace(const std::string& error = "");

  PackageContent content(rt::VersionRow) const;
  std::string tuning_lines() const;  // the stored results of tunings that it was compiled with
  CompileReport report() const;      // without the total time and versions

 private:
  const CompileRequest& request_;
  CompileOptions options_;
  SourceFiles files_;
  Trace trace_;
  PackageExtras extras_;
  const GraphDiagrams diagrams_;
  StageClock clock_;
  const VecISA* isa_ = nullptr;
  schedule::Options schedule_options_;
  schedule::Target target_;
  std::optional<rt::Module> module_;
  std::vector<ModelPart> parts_;
  std::vector<CompiledObject> objects_;
  std::vector<UnitReport> unit_reports_;
  std::map<std::string, int64_t> loop_spills_;  // by kernel

  void build_for_isa(Graph, const PlanCheck&);
  void emit(Graph);
  void compile(const std::vector<CompileJob>&);
  void note_decisions();
  void trace_plans();
  rt::Plan described() const;
};

}  // namespace cppgen
