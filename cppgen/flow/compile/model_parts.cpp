#include "cppgen/flow/compile/model_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/ops/op.h"
#include "cppgen/package/bounds.h"
#include "cppgen/package/index_extents.h"
#include "cppgen/package/weights.h"
#include "cppgen/partition/partition.h"
#include "cppgen/schedule/costs.h"
#include "cppgen/schedule/draft.h"
#include "cppgen/schedule_text/schedule_text.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/package/package.h"
#include "runtime/plan/costs_json.h"

namespace cppgen {
namespace {

std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  for (ValueId v : values) names.push_back(graph.value(v).name);
  return names;
}

bool calls_library(const std::vector<ir::Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const ir::Statement& statement) {
    if (const auto* repetition = std::get_if<ir::Repetition>(&statement)) return calls_library(repetition->body);
    return std::holds_alternative<ir::LibraryCall>(statement);
  });
}

void write(const std::string& path, const std::string& content) {
  if (int e = write_file(path, content)) user_error("{}: cannot be written: {}", path, error_text(e));
}

// Collects the bounds of the plans that every run executes, so that a run is refused before it begins.
std::vector<package::SizeBound> bounds_of_outer_plans(const rt::Module& module, const std::vector<Graph>& graphs) {
  std::vector<package::SizeBound> bounds;
  for (const rt::HostStep& step : module.bodies.at(0).steps) {
    if (step.op != rt::HostOp::plan) continue;
    const Graph& graph = graphs[size_t(step.plan)];
    for (const Value& v : graph.values)
      for (size_t d = 0; v.type && d < v.type->shape.size(); d++)
        if (const ir::IndexExpr dim = v.type->shape[d]; !dim.is_constant() && !ir::prove_less_equal(0, dim))
          bounds.push_back({package::not_negative(dim), v.producer < 0 ? "" : graph.nodes[size_t(v.producer)].name});
  }
  return bounds;
}

// The exclusive bound of a trip count that is an input.
constexpr int64_t kTripsOfRandomLoops = 9;

}  // namespace

void note_index_extents(rt::Module& module, const std::function<int64_t(size_t plan, size_t input)>& of_plan) {
  std::vector<std::vector<int64_t>> extents(module.bodies.size());  // of the inputs of each body
  for (size_t b = module.bodies.size(); b-- > 0;) {                 // a body comes before those of its steps
    const rt::HostBody& body = module.bodies[b];
    extents[b].resize(size_t(body.inputs));
    const auto note = [&](int32_t slot, int64_t extent) {
      if (extent <= 0 || slot < 0 || slot >= body.inputs) return;
      int64_t& known = extents[b][size_t(slot)];
      known = known > 0 ? std::min(known, extent) : extent;
    };
    for (const rt::HostStep& step : body.steps) {
      for (size_t i = 0; step.op == rt::HostOp::plan && i < step.inputs.size(); i++)
        note(step.inputs[i], of_plan(size_t(step.plan), i));
      if (step.op == rt::HostOp::loop) note(step.inputs[0], kTripsOfRandomLoops);
      for (size_t k = 0; k < step.bodies.size(); k++) {
        const std::vector<int64_t>& inner = extents[size_t(step.bodies[k])];
        const std::vector<int32_t>& captures = step.captures[k];
        const size_t own = inner.size() - captures.size();  // a branch has only captures
        for (size_t i = 0; i < std::min(own, step.inputs.size()); i++) note(step.inputs[i], inner[i]);
        for (size_t i = 0; i < captures.size(); i++) note(captures[i], inner[own + i]);
      }
    }
  }
  for (size_t i = 0; i < module.inputs.size(); i++) module.inputs[i].index_extent = extents[0].at(i);
}

ModelGraphs cut(Graph graph) {
  ModelGraphs cut;
  if (partition::is_one_plan(graph)) {
    cut.graphs.push_back(std::move(graph));
  } else {
    if (!graph.states.empty())
      user_error(
          "--state {}: parts of the model run on the host, such as control flow; states need a model of one plan",
          one_line(to_string(option_of(graph, graph.states[0]))));
    for (ValueId v : graph.inputs)
      if (graph.value(v).preset)
        user_error(
            "FREEZING=0: the weights of a model that runs in parts on the host, such as one with control flow, "
            "cannot be replaced: remove the setting");
    auto parts = partition::partition(graph);
    cut.module = std::move(parts.module);
    cut.graphs = std::move(parts.plans);
    cut.module->bounds = package::bounds_of(*graph.index, rt::outline_of(*cut.module, {}).symbols,
                                            bounds_of_outer_plans(*cut.module, cut.graphs));
  }
  return cut;
}

std::vector<ModelPart> make_parts(ModelGraphs& cut, const Settings& settings, const schedule::Options& options,
                                  const schedule::Target& target, StageClock& clock, const std::string& prefix,
                                  const TraceStage& trace) {
  std::vector<ModelPart> parts;
  for (size_t i = 0; i < cut.graphs.size(); i++) {
    Graph& graph = cut.graphs[i];
    ModelPart part;
    part.name = graph.name;
    part.input_names = names_of(graph, graph.inputs), part.output_names = names_of(graph, graph.outputs);
    ir::Program program = clock.time("lower", [&] { return ops::lower(graph, {.library = true}); });
    part.index_extents = package::index_extents(calls_library(program.statements) ? ops::lower(graph) : program);
    part.size_bounds = package::size_bounds(program);
    part.states = keep_states(program, graph.states);
    if (trace) trace("lower", [&] { return ir::to_string(program); });
    part.schedule = clock.time("schedule", [&] {
      return schedule::make_schedule(std::move(program), options, target,
                                     [&](const char* pass, const schedule::Draft& draft) {
                                       clock.part(pass);
                                       if (trace) trace(pass, [&] { return schedule_text::shown_text(draft); });
                                     });
    });
    for (const KeptOutput& kept : graph.states) {
      const StateOption state = option_of(graph, kept);
      part.schedule.log.add(
          "state", fmt::format("{} -> {}", state.past, state.present),
          schedule::FusionDecision::yes(
              fmt::format("one tensor that grows in place, up to {} positions: it is not copied", state.capacity)));
    }
    const std::string start = cut.module ? fmt::format("{}p{}_", prefix, i) : prefix;
    schedule::each_kernel(part.schedule.steps, [&](auto& kernel) { kernel.name = start + kernel.name; });
    part.kernels = clock.time("codegen", [&] { return emit_kernels(part.schedule, target, settings); });
    parts.push_back(std::move(part));
  }
  return parts;
}

void make_plans(std::vector<ModelPart>& parts, std::optional<rt::Module>& module,
                const std::vector<std::string>& objects, const schedule::Target& target, bool keep_originals) {
  const std::string& isa = target.isa;
  for (ModelPart& part : parts) {
    part.plan = package::build_plan({part.schedule, part.kernels, part.object_of_kernel, objects, part.input_names,
                                     part.output_names, part.name, isa, part.index_extents, keep_originals,
                                     part.size_bounds, part.states, schedule::costs_of(target)});
    part.plan.plan.streams = schedule::tuning_of(part.schedule, target).streams;
  }
  if (!module) return;
  module->isa = isa;
  note_index_extents(*module, [&](size_t plan, size_t input) { return parts[plan].index_extents[input]; });
}

void write_plans(const std::string& directory, const std::vector<rt::Plan>& plans,
                 const std::optional<rt::Module>& module) {
  for (size_t i = 0; i < plans.size(); i++)
    write(directory + "/" + (module ? rt::plan_file_name(int32_t(i)) : std::string(rt::kPlanFile)),
          rt::to_json(plans[i]));
  write(directory + "/" + std::string(rt::kCostsFile), rt::costs_to_json(plans));
  if (module) write(directory + "/" + std::string(rt::kModuleFile), rt::to_json(*module));
}

std::string weights_file_of(bool module, size_t part) {
  return module ? rt::weights_file_name(int32_t(part)) : std::string(rt::kWeightsFile);
}

void write_weights(const std::string& directory, const std::vector<ModelPart>& parts, bool module, int threads) {
  for (size_t i = 0; i < parts.size(); i++)
    package::write_weights(directory + "/" + weights_file_of(module, i), parts[i].schedule, parts[i].plan.weights,
                           parts[i].plan.plan.weights_bytes, threads);
}

}  // namespace cppgen
