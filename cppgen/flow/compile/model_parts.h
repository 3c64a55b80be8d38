#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/compile/states.h"
#include "cppgen/graph/graph.h"
#include "cppgen/package/plan_builder.h"
#include "cppgen/schedule/schedule.h"
#include "runtime/plan/module.h"

namespace cppgen {

// A typed graph, split into the parts that become one plan each, and the module that runs them if there are several.
struct ModelGraphs {
  std::optional<rt::Module> module;  // without isa
  std::vector<Graph> graphs;
};
// UserError if the model has states and is not one plan.
ModelGraphs cut(Graph);

// One plan in the making.
struct ModelPart {
  std::string name;
  std::vector<std::string> input_names, output_names;
  schedule::Schedule schedule;
  std::vector<codegen::KernelText> kernels;
  std::vector<int> object_of_kernel;   // the shared object that contains each kernel
  std::vector<int64_t> index_extents;  // of the inputs
  std::vector<package::SizeBound> size_bounds;
  std::vector<package::KeptState> states;
  package::PlanAndWeights plan;
};

// Called after each stage with a function that prints the program or the schedule.
using TraceStage = std::function<void(const char* stage, const std::function<std::string()>& text)>;

// Lowers, schedules and emits. Names of kernels start with `prefix`, followed by the number of their part if there are
// several.
std::vector<ModelPart> make_parts(ModelGraphs&, const Settings&, const schedule::Options&, const schedule::Target&,
                                  StageClock&, const std::string& prefix = "", const TraceStage& trace = nullptr);

// The plans of the parts, whose kernels are in these shared objects; their information about inputs is copied into the
// module. `keep_originals`: of packed weights (FREEZING_DISCARD_PARAMETERS=0).
void make_plans(std::vector<ModelPart>&, std::optional<rt::Module>&, const std::vector<std::string>& objects,
                const schedule::Target&, bool keep_originals = false);

// If steps pass an input of the module to plans, also through the bodies of control flow, the module's input gets the
// least extent other than 0 that `of_plan` returns for such a plan and its input. The trip count of a loop gets a small
// one.
void note_index_extents(rt::Module&, const std::function<int64_t(size_t plan, size_t input)>& of_plan);

// Writes plan.json and weights.bin, or those of all parts and module.json. UserError if they cannot be written.
void write_plans(const std::string& directory, const std::vector<rt::Plan>&, const std::optional<rt::Module>&);
void write_weights(const std::string& directory, const std::vector<ModelPart>&, bool module, int threads);
std::string weights_file_of(bool module, size_t part);

}  // namespace cppgen
