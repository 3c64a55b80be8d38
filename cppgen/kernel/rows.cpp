// Kernels whose lanes are points of each segment's innermost loop: reductions along contiguous rows, and the pointwise
// operations around them.
#include <algorithm>

#include "cppgen/kernel/forms.h"

namespace cppgen::kernel {
namespace {

using ir::Loop;
using schedule::Segment;

std::vector<Expr> loads_of(const Segment& s) {
  std::vector<Expr> loads = ir::postorder(roots_of(s));
  std::erase_if(loads, [](Expr e) { return e->kind != ir::ExprKind::load; });
  return loads;
}

bool reads(const Segment& s, BufferId b) {
  const auto loads = loads_of(s);
  return std::any_of(loads.begin(), loads.end(), [&](Expr e) { return e->buffer == b; });
}

// Prefetches what the next point of the outer loops reads first: a kernel that passes over each row several times
// computes for so long that the hardware stops prefetching. The last segment that reads a buffer issues the prefetch.
std::vector<Prefetch> prefetch_next_row(const KernelView& view, size_t index) {
  const auto& kernel = view.kernel;
  const Segment& segment = kernel.segments[index];
  const auto& inner = segment.reductions.empty() ? segment.loops : segment.reduced;
  std::vector<Prefetch> found;
  if (index == 0 || kernel.outer.empty() || inner.empty()) return found;
  const auto* row = kernel.outer.back().var.node();
  for (Expr e : loads_of(segment)) {
    if (view.local(e->buffer) || !e->guards.empty() || !e->indirects.empty()) continue;
    const bool again = std::any_of(kernel.segments.begin() + long(index) + 1, kernel.segments.end(),
                                   [&](const Segment& later) { return reads(later, e->buffer); });
    if (again || !reads(kernel.segments[0], e->buffer)) continue;
    const IndexExpr offset = view.offset(e);
    const auto stride = ir::stride_of(offset, inner.back().var.node());
    if (!stride || !stride->is_constant(1) || !ir::depends_on(offset, row)) continue;
    found.push_back({e->buffer, ir::substitute(offset, {{row, kernel.outer.back().var + 1}})});
  }
  return found;
}

}  // namespace

KernelPlan plan_rows(const KernelView& view) {
  KernelPlan plan;
  RowsPlan rows;
  plan.unit_work = 0;
  for (const Loop& l : view.kernel.outer) plan.units = plan.units * l.extent;
  for (const Segment& s : view.kernel.segments) plan.unit_work = plan.unit_work + points(s);
  plan_locals(view, rows, plan.scratch_bytes);
  rows.accumulators = view.tuning().row_accumulators;
  plan_sums(view, rows, rows.accumulators, view.target.lanes);
  for (size_t i = 0; i < rows.segments.size(); i++) rows.segments[i].prefetches = prefetch_next_row(view, i);
  plan.form = std::move(rows);
  return plan;
}

}  // namespace cppgen::kernel
