#include <fmt/format.h>

#include <algorithm>

#include "cppgen/schedule/passes.h"
#include "runtime/contraction/long_sums.h"

namespace cppgen::schedule {
namespace {

using ir::ExprKind;

bool is_simple(ir::UnaryOp op) { return op == ir::UnaryOp::neg || op == ir::UnaryOp::abs; }

bool is_simple(ir::BinaryOp op) {
  using enum ir::BinaryOp;
  return op == add || op == sub || op == mul || op == min || op == max;
}

bool is_simple(Expr e) {
  switch (e->kind) {
    case ExprKind::constant:
    case ExprKind::accumulator:
    case ExprKind::select:
      return true;
    case ExprKind::load:
      return e->indirects.empty() && e->guards.empty();
    case ExprKind::unary:
      return is_simple(e->unary);
    case ExprKind::binary:
      return is_simple(e->binary) || is_comparison(e->binary);
    default:
      return false;
  }
}

// Returns whether a row's columns are contiguous in the result; otherwise they are written one by one.
bool stores_vectors(const ir::Program& program, const Layouts& layouts, const TileContraction& c,
                    const ir::Store& store) {
  const auto stride = ir::stride_of(
      offset_of(program.buffer(store.buffer), layouts[size_t(store.buffer)], store.indices), c.columns.var.node());
  return stride && stride->is_constant(1);
}

bool has_simple_epilogue(const Segment& epilogue, const Tuning& tuning) {
  int64_t operations = 0;
  for (Expr e : values_of(epilogue.stores)) {
    if (!is_simple(e)) return false;
    operations += e->kind != ExprKind::constant && e->kind != ExprKind::accumulator;
  }
  return operations <= tuning.register_epilogue;
}

// Uses tiles that end with the image lines if the distance between rows of different lines is not constant. Rows that
// are computed have a constant distance.
void tile_by_lines(TileContraction& c, const Tuning& tuning) {
  if (c.rows.size() < 2 || c.tiling.height != 0 || !c.left->guards.empty() || c.left_value) return;
  const IndexExpr height = c.rows[c.rows.size() - 2].extent, width = c.rows.back().extent;
  if (!height.is_constant() || !width.is_constant() || width.constant() == 0 || height.constant() == 0) return;
  const int64_t filled = pieces(width.constant(), c.shape.mr) * height.constant();
  const int64_t least = pieces(width.constant() * height.constant(), c.shape.mr);
  if (double(least) >= tuning.lines_filled * double(filled))
    c.tiling.height = height.constant(), c.tiling.width = width.constant();
}

FusionDecision put_in_registers(Draft& draft, FusedKernel& kernel) {
  const Tuning& tuning = kernel.tuning ? *kernel.tuning : draft.tuning();
  TileContraction& c = *kernel.contraction;
  if (c.form != kTilesForm) return FusionDecision::no("the kernel has the form " + c.form);
  if (!rt::is_float32(c.format)) return FusionDecision::no("the operands are not float32");
  if (draft.target.lanes < 2) return FusionDecision::no("there are no vectors");
  const IndexExpr K = points(c.taps) * c.k.extent;
  const int64_t most = std::min<int64_t>(tuning.register_k, rt::kWholeTerms);
  if (!K.is_constant() || K.constant() > most) return FusionDecision::no(fmt::format("K is longer than {}", most));
  if (!has_simple_epilogue(kernel.segments[0], tuning)) return FusionDecision::no("the epilogue is not simple");
  for (const auto& store : kernel.segments[0].stores)
    if (!stores_vectors(draft.program(), draft.layouts(), c, store))
      return FusionDecision::no("the columns are not stored contiguously");
  tile_by_lines(c, tuning);
  c.in_registers = true;
  return FusionDecision::yes(fmt::format("K is {}", K.constant()));
}

}  // namespace

void choose_register_tiles(Draft& draft) {
  for (ScheduledStep& step : draft.schedule.steps)
    if (auto* kernel = std::get_if<FusedKernel>(&step); kernel && kernel->contraction)
      draft.log().add("tiles", kernel->name + " in registers", put_in_registers(draft, *kernel));
}

}  // namespace cppgen::schedule
