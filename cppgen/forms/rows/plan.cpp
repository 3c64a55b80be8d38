// Kernels whose lanes are points of each segment's innermost loop: reductions along contiguous rows, and the pointwise
// operations around them.
#include "cppgen/forms/rows/plan.h"

#include <algorithm>

#include "cppgen/forms/forms.h"
#include "cppgen/ir/values/op_table.h"

namespace cppgen::forms {
namespace {

using ir::Loop;
using schedule::Segment;

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

bool calls_function(const Segment& s) {
  const std::vector<Expr> values = values_of(s);
  return std::any_of(values.begin(), values.end(), [](Expr e) {
    return e->kind == ir::ExprKind::unary && ir::row_of(e->unary).cost == ir::OperationCost::function;
  });
}

// Prefetches the row that the last segment writes while the segment before it computes functions: the last one alone
// would wait for memory, as it computes little.
std::vector<Prefetch> prefetch_written_row(const KernelView& view, size_t index) {
  const auto& segments = view.kernel.segments;
  std::vector<Prefetch> found;
  if (index + 2 != segments.size() || !calls_function(segments[index])) return found;
  const Segment &segment = segments[index], &last = segments.back();
  const auto& inner = segment.reductions.empty() ? segment.loops : segment.reduced;
  if (!last.reductions.empty() || inner.size() != 1 || last.loops.size() != 1) return found;
  if (inner[0].extent != last.loops[0].extent) return found;
  const auto* column = last.loops[0].var.node();
  for (const ir::Store& s : last.stores) {
    if (view.local(s.buffer)) continue;
    const IndexExpr offset = view.offset(s);
    const auto stride = ir::stride_of(offset, column);
    if (!stride || !stride->is_constant(1)) continue;
    found.push_back({s.buffer, ir::substitute(offset, {{column, inner[0].var}}), true});
  }
  return found;
}

std::vector<Prefetch> prefetches_of(const KernelView& view, size_t index) {
  std::vector<Prefetch> found = prefetch_next_row(view, index);
  for (Prefetch& p : prefetch_written_row(view, index)) found.push_back(std::move(p));
  return found;
}

PlannedKernel plan_rows(const KernelView& view) {
  PlannedKernel plan;
  RowsPlan rows;
  plan.unit_work = 0;
  for (const Loop& l : view.kernel.outer) plan.units = plan.units * l.extent;
  for (const Segment& s : view.kernel.segments) plan.unit_work = plan.unit_work + points(s);
  plan_locals(view, rows, plan.scratch_bytes);
  rows.accumulators = view.tuning().row_accumulators;
  plan_sums(view, rows, rows.accumulators, view.target.lanes);
  for (size_t i = 0; i < rows.segments.size(); i++) rows.segments[i].prefetches = prefetches_of(view, i);
  plan.form = std::make_unique<RowsPlan>(std::move(rows));
  return plan;
}

}  // namespace

Form rows_form() {
  return {"rows", [](const KernelView& view) { return schedule::is_loops(view.kernel) && !view.kernel.vector_outer; },
          plan_rows};
}

}  // namespace cppgen::forms
