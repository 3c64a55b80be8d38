// Kernels whose lanes are points of the last outer loop: pointwise kernels, pooling, sums over slow dimensions.
#include "cppgen/forms/columns/plan.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "cppgen/forms/forms.h"
#include "cppgen/ir/values/op_table.h"
#include "cppgen/schedule/fusion/size_limits.h"
#include "cppgen/schedule/kernels/vector_loop.h"

namespace cppgen::forms {
namespace {

using ir::Loop;
using schedule::Segment;
using schedule::Tuning;

// The approximate number of instructions in the chain of one value, beyond the first.
int64_t length_of(Expr e) {
  return e->kind == ir::ExprKind::unary && is_float(e->type) ? ir::row_of(e->unary).chain : 0;
}

// The length of the longest chain of operations, in instructions; other operations overlap with it. 0 if several
// vectors cannot be computed side by side.
int64_t chain_length(const schedule::FusedKernel& kernel) {
  std::vector<Expr> roots;
  for (const Segment& s : kernel.segments) each_value(s.stores, [&](Expr e) { roots.push_back(e); });
  int64_t length = 0;
  std::unordered_map<Expr, int64_t> until;
  for (Expr e : ir::postorder(roots)) {
    if (!e->indirects.empty() || size_of(e->type) > 4) return 0;
    int64_t before = 0;
    for (Expr x : e->args) before = std::max(before, until.at(x));
    until[e] = before + length_of(e) + 1;
    length = std::max(length, until[e]);
  }
  return length;
}

// vec::each computes 1, 2, 4 or 8 chains side by side.
int64_t chains_for_each(int64_t wanted) {
  constexpr int64_t kMostChains = 8;
  return int64_t(std::bit_floor(uint64_t(std::clamp<int64_t>(wanted, 1, kMostChains))));
}

// A core executes some hundred instructions out of order. If the chain of operations of one vector is about that long,
// the chains of several vectors are interleaved, but not so many that their code takes long to compile.
int64_t chains_of(const KernelView& view) {
  const Tuning& tuning = view.tuning();
  if (schedule::has_inner_loops(view.kernel) || view.target.lanes == 1 || !view.kernel.locals.empty()) return 1;
  const int64_t length = chain_length(view.kernel);
  if (length < tuning.long_chain) return 1;
  std::vector<Expr> roots;
  for (const Segment& s : view.kernel.segments)
    for (Expr e : values_of(s.stores)) roots.push_back(e);
  const int64_t most = tuning.chained_weight / schedule::weight_of(roots, tuning);
  return chains_for_each(
      std::min(most, length < tuning.very_long_chain ? tuning.long_chains : tuning.very_long_chains));
}

int64_t vectors_of(const KernelView& view, const ColumnsPlan& plan) {
  const Tuning& tuning = view.tuning();
  int64_t vectors = 1;
  for (size_t i = 0; i < plan.segments.size(); i++) {
    if (view.kernel.segments[i].reductions.empty()) continue;
    const bool far = !plan.segments[i].prefetches.empty();
    vectors = std::max(vectors, far ? tuning.far_column_vectors : tuning.column_vectors);
  }
  const int64_t extent = constant_or(view.kernel.outer.back().extent, int64_t(tuning.unknown_points));
  while (vectors > 1 && extent < vectors * view.target.lanes)
    vectors = vectors > tuning.column_vectors ? tuning.column_vectors : 1;
  return vectors;
}

int64_t block_of(const KernelView& view, int64_t vectors) {
  const Tuning& tuning = view.tuning();
  const int64_t extent = constant_or(view.kernel.outer.back().extent, int64_t(tuning.unknown_points));
  if (!schedule::has_inner_loops(view.kernel)) {
    const bool divided = extent > tuning.pointwise_whole * tuning.pointwise_block;
    return divided ? tuning.pointwise_block : std::max<int64_t>(extent, 1);
  }
  int64_t inner = 1;
  for (const Segment& s : view.kernel.segments) inner += constant_or(points(s), tuning.unknown_inner_points);
  const int64_t step = view.target.lanes * vectors;
  const int64_t block = std::max(step, tuning.column_work / inner / step * step);
  return std::min(block, std::max<int64_t>(extent, 1));
}

// The number of points of the loop before the last one if pointwise results lie side by side along it, and the points
// of the last loop follow each other: planes of an image that become its channels. They are stored together.
int64_t interleaved_of(const KernelView& view) {
  constexpr int64_t kMost = 4;
  const auto& outer = view.kernel.outer;
  if (outer.size() < 2 || view.target.lanes == 1 || schedule::has_inner_loops(view.kernel) ||
      view.kernel.segments.size() != 1 || !view.kernel.locals.empty())
    return 1;
  const Loop &last = outer.back(), &before = outer[outer.size() - 2];
  const int64_t count = constant_or(before.extent, 1);
  if (count < 2 || count > kMost) return 1;
  for (const ir::Store& store : view.kernel.segments[0].stores) {
    const auto along = ir::stride_of(view.offset(store), last.var.node()),
               across = ir::stride_of(view.offset(store), before.var.node());
    if (!along || !along->is_constant(count) || !across || !across->is_constant(1)) return 1;
  }
  return count;
}

}  // namespace

// Prefetches loads of the innermost reduced loop with strides of about a page or more, some steps ahead: hardware
// prefetchers do not predict them. Rows of one set evict each other before they are used if there are too many ahead.
std::vector<Prefetch> prefetch_far_rows(const KernelView& view, const Segment& s) {
  const Tuning& tuning = view.tuning();
  std::vector<Prefetch> found;
  const int64_t least = tuning.rows_ahead_rounds * tuning.rows_ahead;
  if (s.reduced.empty() || constant_or(s.reduced.back().extent, 0) < least) return found;
  const IndexExpr row = s.reduced.back().var;
  for (Expr e : values_of(s.reductions)) {
    if (e->kind != ir::ExprKind::load || view.local(e->buffer) || !e->guards.empty() || !e->indirects.empty()) continue;
    const IndexExpr offset = view.offset(e);
    const auto across = ir::stride_of(offset, view.kernel.outer.back().var.node());
    const auto step = ir::stride_of(offset, row.node());
    if (!across || !across->is_constant(1) || !step) continue;
    const int64_t bytes = constant_or(*step, 0) * int64_t(size_of(view.type_of(e->buffer)));
    if (bytes < tuning.far_row_bytes) continue;
    const bool share_a_set = bytes % view.target.l1_set_period == 0;
    const int64_t ahead = share_a_set ? std::min(tuning.rows_ahead, tuning.rows_per_set) : tuning.rows_ahead;
    found.push_back({e->buffer, ir::substitute(offset, {{row.node(), row + ahead}})});
  }
  return found;
}

void plan_column_units(const KernelView& view, int64_t block, size_t inner_loops, KernelPlan& plan) {
  const auto& outer = view.kernel.outer;
  const size_t units = outer.size() - inner_loops;
  plan.units = ir::ceildiv(outer.back().extent, block);
  for (size_t i = 0; i < units; i++) plan.units = plan.units * outer[i].extent;
  IndexExpr work = 0;
  for (const Segment& s : view.kernel.segments) work = work + points(s);
  plan.unit_work = work * block;
  for (size_t i = units; i + 1 < outer.size(); i++) plan.unit_work = plan.unit_work * outer[i].extent;
}

static PlannedKernel plan_columns(const KernelView& view) {
  PlannedKernel plan;
  ColumnsPlan columns;
  plan_locals(view, columns, plan.scratch_bytes);
  plan_sums(view, columns);
  for (size_t i = 0; i < columns.segments.size(); i++)
    columns.segments[i].prefetches = prefetch_far_rows(view, view.kernel.segments[i]);
  columns.vectors = vectors_of(view, columns);
  columns.block = block_of(view, columns.vectors);
  columns.chains = chains_of(view);
  columns.masks_full_vectors = columns.chains > 1;
  columns.unroll = view.tuning().unrolled_vectors;
  if (columns.chains == 1) columns.interleaved = interleaved_of(view);
  plan_column_units(view, columns.block, columns.interleaved > 1 ? 2 : 1, plan);
  plan.form = std::make_unique<ColumnsPlan>(std::move(columns));
  return plan;
}

Form columns_form() {
  return {"columns", [](const KernelView& view) { return schedule::is_loops(view.kernel); }, plan_columns};
}

}  // namespace cppgen::forms
