// Kernels that slide a small window over their operand: depthwise convolutions and poolings over channels-last images.
// Neighbouring points of the loop before the lanes share the window's weights, and their chains of sums run side by
// side. Windows that do not cross the border are computed without bounds checks.
#include "cppgen/forms/windows/plan.h"

#include <algorithm>

#include "cppgen/forms/forms.h"

namespace cppgen::forms {
namespace {

using ir::Loop;
using schedule::Segment;

// Returns whether an index of the load depends on the loop and on a reduced one.
bool is_window(Expr e, const Loop& across, const std::vector<Loop>& reduced) {
  return e->kind == ir::ExprKind::load && std::any_of(e->indices.begin(), e->indices.end(), [&](IndexExpr index) {
           return ir::depends_on(index, across.var.node()) &&
                  std::any_of(reduced.begin(), reduced.end(),
                              [&](const Loop& l) { return ir::depends_on(index, l.var.node()); });
         });
}

bool has_window(const Segment& s, const Loop& across) {
  const auto values = values_of(s.reductions);
  return std::any_of(values.begin(), values.end(), [&](Expr e) { return is_window(e, across, s.reduced); });
}

const Loop& across_of(const KernelView& view) { return view.kernel.outer[view.kernel.outer.size() - 2]; }

// The least and the greatest value of an index over the reduced loops; nullopt if it is not affine in them.
struct Extremes {
  IndexExpr least, greatest;
};
std::optional<Extremes> extremes_of(IndexExpr index, const std::vector<Loop>& reduced) {
  ir::IndexMap at_least, at_greatest;
  for (const Loop& l : reduced) {
    const auto step = ir::stride_of(index, l.var.node());
    if (!step || !step->is_constant() || !l.extent.is_constant()) return std::nullopt;
    const bool rises = step->constant() >= 0;
    (rises ? at_least : at_greatest)[l.var.node()] = 0;
    (rises ? at_greatest : at_least)[l.var.node()] = l.extent - 1;
  }
  return Extremes{ir::substitute(index, at_least), ir::substitute(index, at_greatest)};
}

std::optional<std::vector<WindowsPlan::Inside>> conditions_inside(const KernelView& view) {
  const Segment& s = view.kernel.segments[0];
  const auto* across = across_of(view).var.node();
  std::vector<WindowsPlan::Inside> conditions;
  for (Expr e : values_of(s.reductions))
    for (const auto& g : e->guards) {
      if (!ir::depends_on(g.index, across)) continue;
      const auto extremes = extremes_of(g.index, s.reduced);
      const auto step = ir::stride_of(g.index, across);
      if (!extremes || !step || !step->is_constant() || step->constant() < 0) return std::nullopt;
      conditions.push_back({extremes->least, g.lo, extremes->greatest, g.hi});
    }
  return conditions;
}

// The number of points side by side, chosen to divide the loop as evenly as possible. Groups may overlap, unless a
// point's result overwrites an operand in place.
int64_t neighbours_of(const KernelView& view) {
  const int64_t extent = across_of(view).extent.constant();
  int64_t count = pieces(extent, pieces(extent, view.tuning().window_neighbours));
  const auto& outputs = view.kernel.outputs;
  const auto& in_place = view.schedule.in_place;
  const bool overwrites = std::any_of(in_place.begin(), in_place.end(), [&](const auto& it) {
    return std::find(outputs.begin(), outputs.end(), it.output) != outputs.end();
  });
  while (overwrites && extent % count != 0) count--;
  return count;
}

int64_t window_block(const KernelView& view) {
  const Segment& s = view.kernel.segments[0];
  const Loop& last = view.kernel.outer.back();
  const int64_t row = across_of(view).extent.constant() * constant_or(points(s.reduced), 1);
  const int64_t lanes = view.target.lanes;
  int64_t vectors = std::max<int64_t>(1, view.tuning().window_work / (row * lanes));
  // With windows along the lanes too, neighbouring vectors read the same cache lines, so a unit has more of a row.
  if (has_window(s, last)) vectors = std::max(vectors, view.tuning().window_row_vectors);
  return std::min(vectors * lanes, constant_or(last.extent, vectors * lanes));
}

bool slides_windows(const KernelView& view) {
  const auto& kernel = view.kernel;
  if (view.target.lanes == 1 || kernel.segments.size() != 1 || !kernel.locals.empty() || kernel.outer.size() < 2)
    return false;
  const Segment& s = kernel.segments[0];
  const int64_t most = view.tuning().window_points, window = constant_or(points(s.reduced), most + 1);
  if (s.reductions.empty() || !s.loops.empty() || !s.body.empty() || window > most || window < 2) return false;
  if (constant_or(across_of(view).extent, 0) < 2 || constant_or(kernel.outer.back().extent, 0) < view.target.lanes)
    return false;
  const auto values = values_of(s.reductions);
  if (std::any_of(values.begin(), values.end(), [](Expr e) { return !e->indirects.empty(); })) return false;
  return has_window(s, across_of(view));
}

PlannedKernel plan_windows(const KernelView& view) {
  PlannedKernel plan;
  WindowsPlan windows;
  plan_sums(view, windows);
  windows.segments[0].prefetches = prefetch_far_rows(view, view.kernel.segments[0]);
  windows.vectors = neighbours_of(view);
  windows.block = window_block(view);
  windows.inside = conditions_inside(view);
  windows.unroll = view.tuning().unrolled_vectors;
  plan_column_units(view, windows.block, 2, plan);
  plan.keeps_numbers = true;
  plan.form = std::make_unique<WindowsPlan>(std::move(windows));
  return plan;
}

}  // namespace

Form windows_form() { return {"windows", slides_windows, plan_windows}; }

}  // namespace cppgen::forms
