#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/flow/stages.h"
#include "cppgen/graph/graph.h"
#include "cppgen/package/plan_builder.h"
#include "cppgen/schedule/schedule.h"
#include "runtime/plan/module.h"

namespace cppgen {

// A typed graph as what becomes one plan, or, with a module that runs them, several.
struct ModelGraphs {
  std::optional<rt::Module> module;  // without isa
  std::vector<Graph> graphs;
};
ModelGraphs cut(Graph);

// One plan on its way to a package.
struct ModelPart {
  std::string name;
  std::vector<std::string> input_names, output_names;
  schedule::Schedule schedule;
  std::vector<codegen::KernelText> kernels;
  std::vector<int> object_of_kernel;   // which shared object holds each
  std::vector<int64_t> index_extents;  // of the inputs
  package::PlanAndWeights plan;
};

// Called with the program after each stage.
using TraceProgram = std::function<void(const char* stage, const ir::Program&)>;

// Lowers, schedules and emits. Names of kernels begin with `prefix`, and with the number of their part where there are
// several.
std::vector<ModelPart> make_parts(ModelGraphs&, const Settings&, const schedule::Target&, StageClock&,
                                  const std::string& prefix = "", const TraceProgram& trace = nullptr);

// Plans of the parts, whose kernels stand in these shared objects; what they say of inputs goes into the module.
void make_plans(std::vector<ModelPart>&, std::optional<rt::Module>&, const std::vector<std::string>& objects,
                const std::string& isa);

// Where a step of the model itself gives an input of the module to a plan, the module's input has the extent that
// `of_plan` gives for that plan and input.
void note_index_extents(rt::Module&, const std::function<int64_t(size_t plan, size_t input)>& of_plan);

// plan.json and weights.bin, or those of all parts and module.json. UserError if they cannot be written.
void write_plans(const std::string& directory, const std::vector<ModelPart>&, const std::optional<rt::Module>&);
void write_weights(const std::string& directory, const std::vector<ModelPart>&, bool module, int threads);

}  // namespace cppgen
