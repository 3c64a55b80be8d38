#include "tests/differential/how_it_runs.h"

#include <algorithm>

#include "cppgen/flow/compile/stages.h"
#include "cppgen/ops/op.h"
#include "cppgen/passes/pipeline.h"
#include "cppgen/schedule/schedule.h"

namespace cppgen::differential {
namespace {

constexpr int64_t kLeastElements = 16;

// The elements of the largest input or output; symbols count as many.
int64_t elements_of(const Graph& g) {
  int64_t most = 0;
  for (const Value& v : g.values) {
    int64_t n = 1;
    for (IndexExpr d : v.type ? v.type->shape : Shape()) n *= d.is_constant() ? d.constant() : kLeastElements;
    most = std::max(most, n);
  }
  return most;
}

}  // namespace

const char* name_of(HowItRuns::Kind kind) {
  static const char* names[] = {"folded", "simd", "by lane", "library", "one by one"};
  return names[kind];
}

std::string full_name(const Row& r) { return r.domain[0] ? std::string(r.domain) + "." + r.op : r.op; }

HowItRuns how_it_runs(const Sample& sample, const VecISA& isa) {
  Graph graph = sample.graph;
  passes::run_passes(graph);
  const schedule::Target target = target_of(isa, MachineDescription());
  const schedule::Schedule s =
      schedule::make_schedule(ops::lower(graph, {.library = true}), schedule::Options(), target);
  HowItRuns how;
  for (const auto& step : s.steps)
    if (const auto* library = std::get_if<schedule::LibraryStep>(&step)) {
      how.kind = HowItRuns::library;
      how.what.insert(library->function);
    }
  if (how.kind == HowItRuns::library || s.steps.empty()) return how;
  for (const auto& kernel : emit_kernels(s, target, Settings()))
    how.what.insert(kernel.by_lane.begin(), kernel.by_lane.end());
  how.kind = how.what.empty() ? HowItRuns::simd : HowItRuns::by_lane;
  if (target.lanes == 1) how = {HowItRuns::one_by_one, {}};
  return how;
}

OperatorTable operator_table(const std::vector<Sample>& samples, const VecISA& isa) {
  OperatorTable table;
  std::set<std::pair<std::string, DType>> small;  // entries of small samples, until a larger one comes
  for (const Sample& s : samples) {
    const std::string name = full_name(*s.row);
    const DType type = s.type.value_or(s.graph.inputs.empty() ? s.graph.value(s.graph.outputs[0]).type->dtype
                                                              : s.graph.value(s.graph.inputs[0]).type->dtype);
    const bool fresh = !table[name].count(type), waits = small.count({name, type}) > 0;
    if (!fresh && !waits) continue;
    HowItRuns& entry = table[name][type];
    const HowItRuns how = how_it_runs(s, isa);
    const bool is_small = elements_of(s.graph) < kLeastElements || how.kind == HowItRuns::folded;
    if (fresh || !is_small) entry = how;
    if (is_small)
      small.insert({name, type});
    else
      small.erase({name, type});
  }
  return table;
}

}  // namespace cppgen::differential
