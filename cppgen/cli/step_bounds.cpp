#include "cppgen/cli/step_bounds.h"

#include <algorithm>
#include <set>

namespace cppgen {
namespace {

double constant_bytes(const rt::Plan& plan, const rt::Step& step) {
  double bytes = 0;
  for (const int32_t b : std::set<int32_t>(step.buffers.begin(), step.buffers.end())) {
    const rt::PlanBuffer& buffer = plan.buffers[size_t(b)];
    if (buffer.kind == rt::PlanBufferKind::constant) bytes += double(buffer.bytes.code.at(1));  // a constant, too
  }
  return bytes;
}

}  // namespace

std::vector<StepBound> step_bounds(const rt::Session& session, std::span<const rt::StepProfile> profile,
                                   const MachinePeaks& peaks) {
  const rt::Plan& plan = session.plan();
  const rt::SessionStats stats = session.stats();
  const MachinePeaks::Level& of_constants = peaks.level_for(double(stats.weights_bytes + stats.arena_bytes));
  std::vector<StepBound> bounds(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); i++) {
    const rt::StepProfile& p = profile[i];
    if (p.calls == 0) continue;
    const double bytes = p.bytes / double(p.calls);
    const double constants = std::min(bytes, constant_bytes(plan, plan.steps[i])), others = bytes - constants;
    const MachinePeaks::Level& of_others = peaks.level_for(others);
    bounds[i].arithmetic_ns = p.flops / double(p.calls) / peaks.gflops;
    bounds[i].memory_ns = constants / of_constants.gb_per_second + others / of_others.gb_per_second;
    bounds[i].level = constants > others ? of_constants.name : of_others.name;
  }
  return bounds;
}

}  // namespace cppgen
