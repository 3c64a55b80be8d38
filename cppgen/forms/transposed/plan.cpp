// Kernels that read along one loop and write along another: square tiles, transposed in the cache.
#include "cppgen/forms/transposed/plan.h"

#include <algorithm>

#include "cppgen/forms/forms.h"
#include "cppgen/schedule/kernels/loop_order.h"

namespace cppgen::forms {
namespace {

using ir::Loop;

struct Loops {
  const Loop& tile;  // elements side by side in what is read
  const Loop& last;  // elements side by side in what is written
};

// The extent of the tile loop if it is small and equal to the distance between lanes, such as channels of an image.
int64_t few_without_gaps(IndexExpr across, const Loop& tile, DType type) {
  constexpr int64_t kMost = 4;
  const int64_t extent = constant_or(tile.extent, 0);
  return extent >= 2 && extent <= kMost && across.is_constant(extent) && size_of(type) <= 4 ? extent : 0;
}

// The loads whose lanes are not contiguous along the last loop but are contiguous along the tile loop.
std::vector<TransposedPlan::Load> transposed_loads(const KernelView& view, const Loops& loops) {
  std::vector<TransposedPlan::Load> found;
  for (Expr e : values_of(view.kernel.segments[0].stores)) {
    if (e->kind != ir::ExprKind::load || !e->indirects.empty()) continue;
    const auto end = schedule::end_of_load(e, loops.last);
    if (!e->guards.empty() && (!end || ir::depends_on(*end, loops.tile.var.node()))) continue;
    const IndexExpr offset = view.offset(e);
    const auto across = ir::stride_of(offset, loops.last.var.node());
    const auto along = ir::stride_of(offset, loops.tile.var.node());
    if (!across || across->is_constant(0) || across->is_constant(1) || !along || !along->is_constant(1)) continue;
    found.push_back({e, offset, *across, end, few_without_gaps(*across, loops.tile, view.type_of(e->buffer))});
  }
  return found;
}

// Several cache lines, so that neither side's memory is touched one line at a time, as long as all tiles stay in the
// first-level cache.
int64_t side_of(const KernelView& view, const std::vector<TransposedPlan::Load>& loads, const Loops& loops) {
  const int64_t lanes = view.target.lanes;
  int64_t bytes = 0;
  for (const auto& l : loads) bytes += int64_t(size_of(view.type_of(l.load->buffer)));
  int64_t side = view.tuning().transposed_vectors * lanes;
  while (side > lanes && side * side * bytes > view.tuning().transposed_bytes) side /= 2;
  const int64_t longest = std::max(constant_or(loops.tile.extent, side), constant_or(loops.last.extent, side));
  return std::min(side, pieces(longest, lanes) * lanes);
}

// Prefetches the reads of the next tile: pieces of many rows, which hardware prefetchers do not predict.
std::vector<TransposedPlan::NextTile> next_tiles(const KernelView& view,
                                                 const std::vector<TransposedPlan::Load>& transposed,
                                                 const Loops& loops) {
  const ir::IndexMap at_start{{loops.tile.var.node(), 0}};
  std::vector<TransposedPlan::NextTile> found;
  for (const auto& l : transposed)
    if (!l.end) found.push_back({l.load->buffer, ir::substitute(l.offset, at_start), l.across, true});
  for (Expr e : values_of(view.kernel.segments[0].stores)) {
    if (e->kind != ir::ExprKind::load || !e->guards.empty() || !e->indirects.empty()) continue;
    const IndexExpr offset = view.offset(e);
    const auto across = ir::stride_of(offset, loops.last.var.node());
    const auto along = ir::stride_of(offset, loops.tile.var.node());
    if (across && across->is_constant(1) && along && !along->is_constant(0))
      found.push_back({e->buffer, ir::substitute(offset, at_start), *along, false});
  }
  return found;
}

bool only_moves(const KernelView& view, const std::vector<TransposedPlan::Load>& loads, const Loops& loops) {
  const auto& stores = view.kernel.segments[0].stores;
  if (loads.size() != 1 || stores.size() != 1 || stores[0].value != loads[0].load) return false;
  const DType type = view.type_of(stores[0].buffer);
  const auto step = ir::stride_of(view.offset(stores[0].buffer, stores[0].indices), loops.last.var.node());
  return type == view.type_of(loads[0].load->buffer) && type != DType::boolean && size_of(type) < 4 && step &&
         step->is_constant(1);
}

bool is_transposed(const KernelView& view) {
  return view.kernel.transpose_loop >= 0 && view.kernel.segments.size() == 1 && view.target.lanes > 1;
}

PlannedKernel plan_transposed(const KernelView& view) {
  const auto& outer = view.kernel.outer;
  const Loops loops{outer[size_t(view.kernel.transpose_loop)], outer.back()};
  PlannedKernel plan;
  TransposedPlan transposed;
  transposed.loads = transposed_loads(view, loops);
  transposed.side = side_of(view, transposed.loads, loops);
  transposed.width = std::max(transposed.side, view.tuning().transposed_work / transposed.side);
  transposed.next_tiles = next_tiles(view, transposed.loads, loops);
  transposed.moves = only_moves(view, transposed.loads, loops);
  plan.units = ir::ceildiv(loops.tile.extent, transposed.side) * ir::ceildiv(loops.last.extent, transposed.width);
  for (size_t i = 0; i + 2 < outer.size(); i++) plan.units = plan.units * outer[i].extent;
  plan.unit_work = transposed.side * transposed.width;
  plan.form = std::make_unique<TransposedPlan>(std::move(transposed));
  return plan;
}

}  // namespace

Form transposed_form() { return {"transposed", is_transposed, plan_transposed}; }

}  // namespace cppgen::forms
