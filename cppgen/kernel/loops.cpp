// Common to kernels of plain loops: rows in scratch memory, and float sums in parts.
#include <algorithm>

#include "cppgen/kernel/forms.h"

namespace cppgen::kernel {

using schedule::Place;
using schedule::Segment;

void plan_locals(const KernelView& view, LoopsPlan& plan, IndexExpr& scratch_bytes) {
  const int64_t line = view.target.cache_line;
  int64_t scratch = 0;
  for (const auto& l : view.kernel.locals) {
    plan.scratch_offsets.push_back(scratch);
    if (l.place == Place::value) continue;
    scratch += pieces(l.elements.constant() * int64_t(size_of(view.type_of(l.buffer))), line) * line;
  }
  scratch_bytes = scratch;
}

static bool is_float_sum(const ir::Reduction& r) { return r.op == ir::ReduceOp::sum && r.type == DType::f32; }

// The loop that is run in parts is the innermost one that may have, together with the loops inside it, more points than
// a part.
static std::optional<SumParts> parts_of(const Segment& s, int64_t most) {
  const bool sums = std::any_of(s.reductions.begin(), s.reductions.end(), is_float_sum);
  if (!sums || points(s.reduced).is_constant()) return std::nullopt;
  SumParts parts{s.reduced.size() - 1, 1, 1, most};
  for (;; parts.loop--) {
    const int64_t extent = constant_or(s.reduced[parts.loop].extent, most + 1);
    if (extent > most / parts.terms) break;
    parts.terms *= std::max<int64_t>(extent, 1);
  }
  parts.steps = most / parts.terms;
  return parts;
}

void plan_sums(const KernelView& view, LoopsPlan& plan) {
  for (const Segment& s : view.kernel.segments) {
    SegmentPlan segment;
    segment.sum_parts = parts_of(s, view.tuning().sum_part);
    for (const auto& r : s.reductions) segment.has_total.push_back(segment.sum_parts && is_float_sum(r));
    plan.segments.push_back(std::move(segment));
  }
}

}  // namespace cppgen::kernel
