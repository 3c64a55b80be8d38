// Common to kernels of plain loops: rows in scratch memory, and float sums in parts.
#include "cppgen/forms/loops/plan.h"

#include <algorithm>

#include "cppgen/kernel/view.h"

namespace cppgen::forms {

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

// The loop that is run in parts is the innermost one that may, together with the loops inside it, give an accumulator
// more terms than a part has.
static std::optional<SumParts> parts_of(const Segment& s, int64_t most, int64_t accumulators, int64_t lanes) {
  if (!std::any_of(s.reductions.begin(), s.reductions.end(), is_float_sum)) return std::nullopt;
  SumParts parts{s.reduced.size(), 1, most / 2};
  while (parts.loop-- > 0) {
    const IndexExpr extent = s.reduced[parts.loop].extent;
    parts.spread = parts.loop + 1 == s.reduced.size() ? accumulators * lanes : 1;
    const int64_t n = constant_or(extent, 0), additions = n / parts.spread + pieces(n % parts.spread, lanes);
    if (!extent.is_constant() || additions > most / parts.terms) {
      parts.steps = std::max<int64_t>(most / parts.terms, 1) * parts.spread;
      parts.more = parts.spread > 1 ? accumulators : 0;
      return parts;
    }
    parts.terms *= std::max<int64_t>(additions, 1);
  }
  return std::nullopt;
}

void plan_sums(const KernelView& view, LoopsPlan& plan, int64_t accumulators, int64_t lanes) {
  for (const Segment& s : view.kernel.segments) {
    SegmentPlan segment;
    segment.sum_parts = parts_of(s, view.tuning().sum_block, accumulators, lanes);
    for (const auto& r : s.reductions) segment.has_total.push_back(segment.sum_parts && is_float_sum(r));
    plan.segments.push_back(std::move(segment));
  }
}

}  // namespace cppgen::forms
