// Explains what a model would be compiled to, without compiling anything.
#include "cppgen/flow/explain/explain.h"

#include <algorithm>

#include "cppgen/compile/assumed_peaks.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/flow/explain/decision_outcomes.h"
#include "cppgen/flow/explain/decision_text.h"
#include "cppgen/flow/explain/graph_diagrams.h"
#include "cppgen/flow/explain/loop_text.h"
#include "cppgen/flow/explain/tensor_summary.h"
#include "cppgen/schedule/schedule.h"
#include "runtime/base/errors.h"
#include "runtime/plan/sample_sizes.h"
#include "runtime/session/session_options.h"

namespace cppgen {
namespace {

class ExplainedSteps {
 public:
  // `number`: how many kernels there are before these.
  ExplainedSteps(const std::vector<codegen::KernelText>& kernels, size_t number)
      : next_(kernels.begin()), number_(int(number)) {}

  std::vector<Explanation::Step> of(const schedule::Schedule& schedule) {
    for (const auto& step : schedule.steps) {
      const auto* repeated = std::get_if<schedule::RepeatedSteps>(&step);
      const std::string times = repeated ? ir::to_string(repeated->steps) : "";
      schedule::each_step(std::span(&step, 1), [&](const auto& s) { add(s, times); });
    }
    return std::move(steps_);
  }

 private:
  std::vector<codegen::KernelText>::const_iterator next_;
  int number_;
  std::vector<Explanation::Step> steps_;

  void add(const schedule::FusedKernel& k, const std::string& times) {
    const codegen::KernelText& text = *next_++;
    steps_.push_back({k.name,
                      schedule::engine_of(k),
                      k.origins,
                      loop_text(k),
                      kernel::to_string(text.plan),
                      text.comment + text.code(),
                      times,
                      number_++,
                      {},
                      {},
                      {},
                      {},
                      0});
  }
  void add(const schedule::LibraryStep& call, const std::string& times) {
    steps_.push_back({call.function, call.engine, call.origins, "", "", "", times, -1, {}, {}, {}, {}, 0});
  }
};

template <class T>
void add_to(std::vector<T>& to, std::vector<T> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

std::optional<MachinePeaks> measured_peaks(const VecISA& isa, int threads, const Settings& settings) {
  try {
    return known_peaks(peaks_request(isa, threads, settings));
  } catch (const UserError&) {  // no compiler
    return std::nullopt;
  }
}

// Those that were measured before, for the threads of a run; otherwise assumed ones.
void find_peaks(Explanation& result, const VecISA& isa, const Settings& settings) {
  const int threads = threads_of_runs(settings);
  const std::optional<MachinePeaks> peaks = measured_peaks(isa, threads, settings);
  result.peaks_are_assumed = !peaks;
  result.peaks = peaks ? *peaks : assumed_peaks(isa, threads, this_machine(), cpu_ghz());
  const std::optional<MachinePeaks> one = peaks ? measured_peaks(isa, 1, settings) : std::nullopt;
  result.peaks_of_one = one ? *one : assumed_peaks(isa, 1, this_machine(), cpu_ghz());
}

// Groups of panels are those of constants, so their number is known.
StepDivision division_of(const Explanation::Step& step, const rt::Step& planned, const PlanCosts& costs,
                         const Explanation& result) {
  if (step.kernel < 0 || planned.product_of < 0) return {};
  const kernel::KernelPlan& plan = (*result.kernels)[size_t(step.kernel)].plan;
  const ir::IndexExpr groups = plan.column_groups;
  return {groups.is_constant() ? double(std::max<int64_t>(1, groups.constant())) : 1, plan.read_by_all >= 0,
          double(costs.sizes[size_t(planned.product_of)])};
}

size_t first_use(const rt::Plan& plan, int32_t buffer) {
  size_t step = 0;
  while (step + 1 < plan.steps.size() &&
         std::count(plan.steps[step].buffers.begin(), plan.steps[step].buffers.end(), buffer) == 0)
    step++;
  return step;
}

// The plan's first step is the explanation's step `first`.
std::vector<Explanation::Temporary> temporaries_of(const rt::Plan& plan, const PlanCosts& costs, size_t first,
                                                   size_t number) {
  std::vector<Explanation::Temporary> temporaries;
  for (size_t b = 0; b < plan.buffers.size(); b++) {
    const rt::PlanBuffer& buffer = plan.buffers[b];
    if (costs.offsets[b] < 0 || plan.steps.empty()) continue;
    const bool is_output = buffer.kind == rt::PlanBufferKind::output;
    const size_t begin = is_output ? first_use(plan, int32_t(b)) : size_t(buffer.first_step);
    const size_t end = is_output ? plan.steps.size() - 1 : size_t(buffer.last_step);
    temporaries.push_back({costs.sizes[b], costs.offsets[b], plan.steps[begin].name, plan.steps[end].name,
                           first + begin, first + end, buffer.name, number});
  }
  std::stable_sort(temporaries.begin(), temporaries.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return temporaries;
}

// Sizes that all plans can have, or, as branches that no run takes may not, the first ones alone. UserError if there
// are none: what they must satisfy.
rt::NamedSizes assumed_sizes(const std::vector<ModelPart>& parts) {
  std::vector<const rt::Plan*> plans;
  for (const ModelPart& part : parts) plans.push_back(&part.plan.plan);
  const rt::SampleSizes sample = rt::sample_sizes(plans, {}, rt::kSmallSizesFirst);
  if (sample.fit || plans.size() > 1) return sample.sizes;
  std::string bounds;
  for (const rt::Bound& bound : plans[0]->bounds) bounds += (bounds.empty() ? "" : ", ") + bound.text;
  user_error("no sizes were found with which the model can run; it requires {}: give --dim NAME=N",
             bounds.empty() ? "sizes that are not negative" : bounds);
}

std::vector<int64_t> sizes_of(const rt::Plan& plan, const rt::NamedSizes& sizes) {
  std::vector<int64_t> of_plan;
  for (const rt::Symbol& symbol : plan.symbols) of_plan.push_back(sizes.at(symbol.name));
  return of_plan;
}

// The costs of a plan that cannot run with the sizes, because only a branch requires others.
PlanCosts unknown_costs(const rt::Plan& plan) {
  PlanCosts costs;
  costs.steps.resize(plan.steps.size());
  costs.weights_bytes = plan.weights_bytes;
  costs.sizes.resize(plan.buffers.size()), costs.offsets.assign(plan.buffers.size(), -1);
  return costs;
}

// Adds what the plan takes to the steps that it became, the last ones.
void add_costs(Explanation& result, const rt::Plan& plan, const Settings& settings) {
  const std::vector<int64_t> sizes = sizes_of(plan, result.assumed);
  const rt::Plan* const plans[] = {&plan};
  const bool can_run = rt::sample_sizes(plans, result.assumed, rt::kSmallSizesFirst).fit;
  const auto session = rt::SessionOptions::from(settings);
  const rt::MemoryOptions memory{plans_memory(session) && reuses_memory(session), outputs_in_arena(session)};
  const PlanCosts costs = can_run ? plan_costs(plan, sizes, settings.min_chunk_size, memory) : unknown_costs(plan);
  if (can_run) result.memory.add(plan, costs, sizes, threads_of_runs(settings));
  const size_t first = result.steps.size() - costs.steps.size();
  add_to(result.temporaries, temporaries_of(plan, costs, first, result.arenas.size()));
  result.arenas.push_back(costs.arena_bytes);
  for (size_t i = 0; i < costs.steps.size() && can_run; i++) {
    Explanation::Step& step = result.steps[first + i];
    step.cost = costs.steps[i];
    step.run_bytes = costs.run_bytes();
    step.bound = bound_of(step.cost, step.run_bytes, result.peaks, result.costs);
    step.division = division_of(step, plan.steps[i], costs, result);
  }
}

// The number of nodes, with those of bodies.
int64_t all_nodes(const Graph& graph) {
  auto count = int64_t(graph.nodes.size());
  for (const Node& node : graph.nodes)
    for (const auto& body : bodies_of(node)) count += all_nodes(*body);
  return count;
}

void add_to(schedule::LayoutReport& to, schedule::LayoutReport from) {
  add_to(to.orders, std::move(from.orders));
  add_to(to.gaps, std::move(from.gaps));
  add_to(to.movements, std::move(from.movements));
}

void add_boundary(Explanation& result, const rt::Plan& plan) {
  result.inputs = summaries_of(plan.inputs, plan), result.outputs = summaries_of(plan.outputs, plan);
}

}  // namespace

Explanation explain_model(const CompileRequest& request, const ExplainWishes& wishes) {
  StageClock clock(&request);
  Trace trace(request, wishes.on_stage);
  const GraphDiagrams diagrams(request);
  Graph graph = read_and_simplify(request, clock, &trace);
  const VecISA& isa = likely_isa(request.settings);
  const schedule::Target target = target_of(isa, request.settings);
  Explanation result;
  result.kernels = std::make_shared<std::vector<codegen::KernelText>>();
  diagrams.before_fusion(graph);
  if (wishes.drawings) result.before_fusion = draw(graph, *wishes.drawings);
  result.nodes = all_nodes(graph);
  ModelGraphs graphs = cut(std::move(graph));
  result.isa = std::string(isa.name), result.costs = schedule::costs_of(target);
  find_peaks(result, isa, request.settings);
  TraceStage trace_stage;
  if (trace.wants_stages())
    trace_stage = [&](const char* stage, const std::function<std::string()>& text) { trace.stage(stage, text()); };
  std::vector<ModelPart> parts =
      make_parts(graphs, request.settings, schedule_options(request, isa), target, clock, "", trace_stage);
  diagrams.after_fusion(parts, graphs.module);
  if (wishes.drawings) result.after_fusion = draw(parts, graphs.module, *wishes.drawings);
  for (ModelPart& part : parts) part.object_of_kernel.assign(part.kernels.size(), 0);  // there is none
  make_plans(parts, graphs.module, {"kernels.so"}, target);
  result.sites = sites_of(parts);
  result.assumed = assumed_sizes(parts);
  for (ModelPart& part : parts) {
    add_to(result.layouts, schedule::layout_report(part.schedule));
    result.index = part.schedule.program.index;
    add_to(result.decisions.entries, std::move(part.schedule.log.entries));
    add_to(result.steps, ExplainedSteps(part.kernels, result.kernels->size()).of(part.schedule));
    add_to(*result.kernels, std::move(part.kernels));
    add_costs(result, part.plan.plan, request.settings);
  }
  result.decisions = outcomes(result.decisions);
  if (graphs.module) {
    const rt::Plan outline = rt::outline_of(*graphs.module, {});
    for (const rt::Step& step : outline.steps)
      result.steps.push_back({step.name, step.engine, step.origins, "", "", "", "", -1, {}, {}, {}, {}, 0});
    result.memory.take_arguments_of(outline, result.assumed);
    add_boundary(result, outline);
  } else {
    for (const ModelPart& part : parts) add_boundary(result, part.plan.plan);
  }
  trace.write("decisions.txt", decision_text(result.decisions));
  return result;
}

}  // namespace cppgen
