// Estimates of what tiles execute: the products of whole tiles, and the instructions around them.
#include <algorithm>
#include <cmath>
#include <optional>

#include "cppgen/forms/contraction/contraction.h"
#include "cppgen/forms/tiles/plan.h"
#include "cppgen/kernel/instructions.h"
#include "cppgen/schedule/costs.h"
#include "runtime/contraction/formats.h"

namespace cppgen::forms {
namespace {

using schedule::Costs;
using schedule::TileContraction;

constexpr int64_t kMatrixSide = 16;      // rows and columns of a matrix tile
constexpr int64_t kMatrixRowBytes = 64;  // bytes of K that one instruction multiplies
IndexExpr contraction_flops(const TileContraction& c) {
  return 2 * points(c.batch) * points(c.rows) * points(c.taps) * c.columns.extent * c.k.extent;
}

int64_t matrix_k(const rt::TileFormatInfo& format) { return kMatrixRowBytes / (format.parts == 0 ? 1 : 2); }

double rate_of_tiles(const rt::TileFormatInfo& format, const schedule::Target& target) {
  const Costs& costs = costs_of(target);
  if (format.form == rt::LeftForm::block)
    return double(kMatrixSide * kMatrixSide * matrix_k(format)) /
           double(costs.matrix_instruction * target.lanes * rt::products_of_parts(format));
  if (format.panel == DType::bf16) return std::max(1.0, target.bf16_dot_speed);
  if (format.sum == DType::f64) return 0.5;
  if (format.sum != DType::i32 && format.left != DType::i8) return 1;
  if (target.lanes == 1) return costs.scalar_words_rate;
  return target.byte_dots ? format.k_group : costs.words_rate;
}

// Returns how many iterations of the loop of rows at `position` a tile of `tile_rows` rows spans.
int64_t span_of_tile(const TileContraction& c, size_t position, int64_t tile_rows) {
  const auto& tiling = c.tiling;
  if (tiling.height > 0 && position + 2 == c.rows.size()) return 1;  // a line of an image
  if (tiling.left + tiling.right > 0 && position + 1 == c.rows.size()) return 1;
  double inner = 1;
  for (size_t i = position + 1; i < c.rows.size(); i++) {
    if (!c.rows[i].extent.is_constant()) return 1;
    inner *= double(std::max<int64_t>(c.rows[i].extent.constant(), 1));
  }
  return std::llround(1 + double(tile_rows - 1) / inner);
}

// The part of the rows and taps for which a guard of the left operand holds for some row of a tile; nullopt unless it
// depends on one loop of each with known strides, and not on very many taps.
std::optional<double> share_inside(const ir::Guard& guard, const TileContraction& c, int64_t tile_rows) {
  const auto only_loop = [&](const std::vector<ir::Loop>& loops) -> const ir::Loop* {
    const ir::Loop* found = nullptr;
    for (const ir::Loop& l : loops) {
      if (!ir::depends_on(guard.index, l.var.node())) continue;
      if (found || !l.extent.is_constant()) return nullptr;
      found = &l;
    }
    return found;
  };
  constexpr int64_t kMostTaps = 1 << 16;
  const ir::Loop *row = only_loop(c.rows), *tap = only_loop(c.taps);
  if (!row || !tap || tap->extent.constant() > kMostTaps || !guard.lo.is_constant() || !guard.hi.is_constant())
    return std::nullopt;
  const auto step = ir::stride_of(guard.index, row->var.node()), next = ir::stride_of(guard.index, tap->var.node());
  if (!step || !next || !step->is_constant() || !next->is_constant() || step->constant() < 1) return std::nullopt;
  const IndexExpr start = guard.index - *step * row->var - *next * tap->var;
  if (!start.is_constant()) return std::nullopt;
  const double stride = double(step->constant()), rows = double(row->extent.constant());
  const auto block = double(span_of_tile(c, size_t(row - c.rows.data()), tile_rows));
  double inside = 0;
  for (int64_t t = 0; t < tap->extent.constant(); t++) {
    const double first = double(start.constant()) + double(next->constant()) * double(t);  // the index of the first row
    const double begin = std::clamp(std::ceil((double(guard.lo.constant()) - first) / stride), 0.0, rows);
    const double end = std::clamp(std::ceil((double(guard.hi.constant()) - first) / stride), 0.0, rows);
    if (end > begin) inside += std::min(rows, std::ceil(end / block) * block) - std::floor(begin / block) * block;
  }
  return std::max(inside, 1.0) / (rows * double(tap->extent.constant()));
}

// The part of the products that tiles of so many rows compute, which skip taps that are in the padding for all their
// rows.
double share_computed(const TileContraction& c, int64_t tile_rows) {
  double share = 1;
  for (const ir::Guard& guard : c.left->guards) share *= share_inside(guard, c, tile_rows).value_or(1);
  return share;
}

// The vectors of so many columns of sums, of which float64 takes two registers for all lanes.
int64_t vectors_of_sums(const KernelView& view, const TileContraction& c, int64_t columns) {
  constexpr int64_t kLaneBytes = 4;
  return std::max<int64_t>(1, pieces(columns * int64_t(size_of(info(c.format).sum)), kLaneBytes * view.target.lanes));
}

// Rows that cost as much as those of all tiles: small tiles do not hide the latency of a multiply-add, and each tile
// and tap has a start.
IndexExpr rows_of_tiles(const KernelView& view, const TileContraction& c, const TilesPlan& plan) {
  constexpr int64_t kParts = 16;
  const schedule::Tuning usual(view.target.lanes);  // other values change the plan, not the machine
  const int64_t vectors = vectors_of_sums(view, c, c.shape.nr);
  const int64_t start = std::llround(usual.tile_start * double(kParts));
  const IndexExpr rows = ir::max(points(c.rows), plan.tiles * pieces(usual.hiding_sums, vectors));
  return ir::ceildiv(rows * kParts + plan.tiles * start, kParts);
}

IndexExpr matrix_products(const TileContraction& c, const rt::TileFormatInfo& format, const Costs& costs) {
  const IndexExpr tiles = ir::ceildiv(points(c.rows), kMatrixSide) * ir::ceildiv(c.columns.extent, kMatrixSide);
  return points(c.batch) * tiles * points(c.taps) * ir::ceildiv(c.k.extent, matrix_k(format)) *
         (rt::products_of_parts(format) * costs.matrix_instruction);
}

IndexExpr tile_products(const KernelView& view, const TileContraction& c, const TilesPlan& plan) {
  const rt::TileFormatInfo& format = info(c.format);
  if (format.form == rt::LeftForm::block) return matrix_products(c, format, costs_of(view.target));
  const int64_t width = plan.width.value_or(c.shape.nr), vectors = vectors_of_sums(view, c, width);
  const IndexExpr all = points(c.batch) * rows_of_tiles(view, c, plan) * plan.panels * points(c.taps) *
                        ir::ceildiv(c.k.extent, format.k_group) * vectors;
  constexpr int64_t kParts = 1024;
  const double share = c.tiling.skips_padding ? share_computed(c, c.shape.mr) : 1;
  const int64_t computed = std::llround(share * double(kParts));
  return computed < kParts ? ir::ceildiv(all * std::max<int64_t>(computed, 1), kParts) : all;
}

// The instructions that prepare rows, once for each group of panels.
IndexExpr preparing_instructions(const KernelView& view, const TileContraction& c, const TilesPlan& plan) {
  if (plan.even_rows || info(c.format).form == rt::LeftForm::in_place) return 0;
  const IndexExpr vectors = ir::ceildiv(c.k.extent, view.target.lanes);
  return 3 * points(c.batch) * points(c.rows) * points(c.taps) * vectors *
         ir::ceildiv(plan.panels, plan.panels_per_unit);
}

// The instructions that compute rows, which are kept while the groups of panels follow each other.
Instructions computing_instructions(const KernelView& view, const TileContraction& c, const TilesPlan& plan) {
  if (!c.left_value) return {};
  const bool kept = plan.rows_outside || plan.tiles.is_constant(1);
  const IndexExpr times = kept ? IndexExpr(1) : ir::ceildiv(plan.panels, plan.panels_per_unit);
  const IndexExpr vectors = times * points(c.rows) * ir::ceildiv(c.k.extent, view.target.lanes);
  Instructions store;
  store.simple = 1;
  return vectors * (instructions_of_vector({c.left_value}, view.target) + store);
}

}  // namespace

KernelWork TilesPlan::work(const KernelView& view) const {
  KernelWork work;
  const TileContraction& c = *view.kernel.contraction;
  work.flops = contraction_flops(c), work.rate = rate_of_tiles(info(c.format), view.target) / share_computed(c, 1);
  work.products = tile_products(view, c, *this);
  set_instructions(work, epilogue_instructions(view, c.batch, c.columns) + computing_instructions(view, c, *this));
  const Costs& costs = costs_of(view.target);
  const int64_t more = (c.in_registers ? 0 : costs.sums_through_memory) + (transposed ? costs.transposed_result : 0);
  work.instructions = work.instructions + preparing_instructions(view, c, *this) +
                      more * points(c.batch) * points(c.rows) * ir::ceildiv(c.columns.extent, view.target.lanes);
  work.bytes = bytes_of_contraction(view, ir::product(view.program().buffer(c.packed).shape));
  return work;
}

}  // namespace cppgen::forms
