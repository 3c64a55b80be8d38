#include <fmt/format.h>

#include <algorithm>

#include "cppgen/forms/loops/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {
namespace {

bool is_argument(const schedule::FusedKernel& kernel, BufferId b) {
  const auto has = [b](const std::vector<BufferId>& list) {
    return std::find(list.begin(), list.end(), b) != list.end();
  };
  return has(kernel.inputs) || has(kernel.outputs);
}

std::string fault_of_segment(const KernelView& view, const schedule::Segment& s, const SegmentPlan& plan) {
  if (plan.has_total.size() != s.reductions.size())
    return fmt::format("totals of {} of {} reductions", plan.has_total.size(), s.reductions.size());
  if (plan.sum_parts && (plan.sum_parts->loop >= s.reduced.size() || plan.sum_parts->steps < 1))
    return fmt::format("the reduced loop {} of {} is run in parts of {}", plan.sum_parts->loop, s.reduced.size(),
                       plan.sum_parts->steps);
  for (const Prefetch& p : plan.prefetches)
    if (!is_argument(view.kernel, p.buffer)) return fmt::format("b{} is prefetched but is no argument", p.buffer);
  return "";
}

}  // namespace

std::string LoopsPlan::fault(const KernelView& view) const {
  const auto& kernel = view.kernel;
  if (scratch_offsets.size() != kernel.locals.size())
    return fmt::format("places for {} of {} locals", scratch_offsets.size(), kernel.locals.size());
  if (segments.size() != kernel.segments.size())
    return fmt::format("plans of {} of {} segments", segments.size(), kernel.segments.size());
  for (size_t i = 0; i < segments.size(); i++)
    if (std::string fault = fault_of_segment(view, kernel.segments[i], segments[i]); !fault.empty()) return fault;
  return "";
}

}  // namespace cppgen::forms
