#include "cppgen/flow/costs/plan_costs.h"

#include <algorithm>
#include <set>

#include "runtime/library/library.h"

namespace cppgen {
namespace {

double amount(const rt::DimExpr& expr, std::span<const int64_t> values) {
  return expr.code.empty() ? 0 : double(rt::evaluate(expr, values));
}

}  // namespace

double constant_bytes(const rt::Plan& plan, const rt::Step& step) {
  double bytes = 0;
  for (const int32_t b : std::set<int32_t>(step.buffers.begin(), step.buffers.end())) {
    if (size_t(b) >= plan.buffers.size()) continue;  // the outline of a module has none
    const rt::PlanBuffer& buffer = plan.buffers[size_t(b)];
    if (buffer.kind == rt::PlanBufferKind::constant) bytes += amount(buffer.bytes, {});
  }
  return bytes;
}

StepCost cost_of_call(const rt::Plan& plan, size_t step, const rt::StepProfile& p) {
  const auto calls = double(p.calls);
  StepCost cost;
  cost.flops = p.flops / calls, cost.rate = plan.steps[step].rate;
  cost.bytes = p.bytes / calls, cost.chunks = p.chunks / calls;
  rt::each_cost([&](const char*, double& of_call, double sum) { of_call = sum / calls; }, cost, p.costs);
  cost.constant_bytes = std::min(cost.bytes, constant_bytes(plan, plan.steps[step]));
  return cost;
}

PlanCosts plan_costs(const rt::Plan& plan, std::span<const int64_t> symbols, int64_t min_chunk_size,
                     rt::MemoryOptions options) {
  PlanCosts costs;
  std::vector<int64_t> values(symbols.begin(), symbols.end());
  values.resize(plan.symbols.size() + plan.repetitions.size());  // the first times
  for (size_t i = 0; i < plan.steps.size(); i++) {
    const rt::Step& step = plan.steps[i];
    const int32_t repetition = rt::repetition_of(plan, i);
    StepCost cost;
    if (repetition >= 0) cost.calls = amount(plan.repetitions[size_t(repetition)].steps, values);
    cost.flops = amount(step.flops, values), cost.rate = step.rate, cost.bytes = amount(step.bytes, values);
    rt::each_cost([&](const char*, double& value, const rt::DimExpr& expr) { value = amount(expr, values); }, cost,
                  step.costs);
    if (step.kind == rt::StepKind::kernel) {
      const double units = cost.units = amount(step.range, values),
                   work = units * std::max(1.0, amount(step.unit_work, values));
      cost.chunks = double(rt::chunk_count(int64_t(units), int64_t(std::min(work, 1e18)), int64_t(cost.flops),
                                           int64_t(cost.bytes), min_chunk_size));
    }
    cost.constant_bytes = std::min(cost.bytes, constant_bytes(plan, step));
    costs.steps.push_back(cost);
  }
  for (const rt::PlanBuffer& buffer : plan.buffers) costs.sizes.push_back(rt::evaluate(buffer.bytes, values));
  costs.weights_bytes = plan.weights_bytes;
  rt::MemoryPlan memory = rt::plan_memory(plan.buffers, costs.sizes, options);
  costs.arena_bytes = memory.arena_bytes, costs.offsets = std::move(memory.offsets);
  return costs;
}

}  // namespace cppgen
