#include "cppgen/schedule/engines/tiles.h"

#include <fmt/format.h>

#include "cppgen/schedule/engines/panels.h"
#include "cppgen/schedule/engines/row_tiling.h"

namespace cppgen::schedule {

using ir::Loop;

namespace {

bool is_zero(Expr padding) { return padding->kind == ir::ExprKind::constant && padding->bits == 0; }

}  // namespace

// Refuses contractions that are so small that reading the operands takes as long as multiplying them.
static bool is_too_small(const ContractionView& view, const Options& options, const Tuning& tuning) {
  const IndexExpr K = points(view.k), columns = view.columns[0].extent;
  const int64_t least_k = options.decompose_mem_bound_mm ? tuning.tile_k : 1;
  const int64_t least_columns = options.decompose_mem_bound_mm ? tuning.tile_columns : 1;
  return (K.is_constant() && K.constant() < least_k) || (columns.is_constant() && columns.constant() < least_columns);
}

FusionDecision tiles_support(const Contraction& contraction, rt::TileFormat format, const Options& options,
                             const Tuning& tuning) {
  const auto& view = contraction.view;
  if (!view) return FusionDecision::no("the operands are not two loads");
  const rt::TileFormatInfo& types = info(format);
  if (contraction.buffer(view->left).type != types.left || contraction.buffer(view->right).type != types.right ||
      contraction.nest.reductions[0].type != types.sum)
    return FusionDecision::no(fmt::format("the operands are not {} x {}", name_of(types.left), name_of(types.right)));
  if (view->columns.size() != 1) return FusionDecision::no("the columns are not a single loop");
  if (view->k.empty()) return FusionDecision::no("there is no K axis");
  if (!view->right->guards.empty() || !view->right->indirects.empty() || !view->left->indirects.empty())
    return FusionDecision::no("an operand is read under a condition");
  const Loop& k = view->k.back();
  IndexExpr left = contraction.offset(view->left), right = contraction.offset(view->right);
  auto stride = ir::stride_of(left, k.var.node());
  if (!stride || !(stride->is_constant(1) || k.extent.is_constant(1)))
    return FusionDecision::no("the left operand's K axis is not contiguous");
  if (!view->left->guards.empty() && !is_one_value(view->left->args[0]))
    return FusionDecision::no("the padding is not a single value");
  if (!view->left->guards.empty() && (types.left == DType::f16 || types.left == DType::bf16) &&
      !is_zero(view->left->args[0]))
    return FusionDecision::no("the padding is not zero");
  for (const auto& guard : view->left->guards)
    if (ir::depends_on(guard.index, k.var.node()) || !k.extent.is_constant()) return FusionDecision::no("K is padded");
  IndexExpr taps = 1;
  for (size_t i = 0; i + 1 < view->k.size(); i++) taps = taps * view->k[i].extent;
  if (!taps.is_constant() || taps.constant() > tuning.tile_taps)
    return FusionDecision::no("there are too many taps, or their number is not constant");
  for (const auto* loops : {&view->batch, &view->columns, &view->k})
    for (const Loop& l : *loops) {
      auto s = ir::stride_of(right, l.var.node());
      if (!s || (contraction.buffer(view->right).kind == ir::BufferKind::constant && !s->is_constant()))
        return FusionDecision::no("the right operand is not strided");
    }
  if (is_too_small(*view, options, tuning)) return FusionDecision::no("too small for tiles");
  return FusionDecision::yes();
}

bool prepared_rows_fit(const std::optional<ContractionView>& view, rt::TileFormat format, const Target& target) {
  if (!view) return true;
  int64_t K = 1;
  for (const Loop& l : view->k) K *= l.extent.is_constant() ? l.extent.constant() : 1;
  return rt::prepared_bytes(format, target.tiles[size_t(format)].mr, 1, K) <= target.tuning.prepared_row_bytes;
}

namespace {

// The cost of one row of the contraction over one step of its K, up to a factor; 0 if unknown. Tiles that load more
// operands for each product are slower.
double cost(const std::optional<ContractionView>& view, rt::TileShape shape, const Target& target) {
  if (!view || view->columns.size() != 1 || !view->columns[0].extent.is_constant()) return 0;
  const double columns = double(pieces(view->columns[0].extent.constant(), shape.nr) * shape.nr);
  const double loads = 1 / double(shape.mr) + double(target.lanes) / double(shape.nr);
  return columns * (1 + target.tuning.operand_cost * loads);
}

}  // namespace

std::optional<rt::TileFormat> choose_format(const std::optional<ContractionView>& view,
                                            std::span<const rt::TileFormat> formats, const Target& target) {
  std::optional<rt::TileFormat> best;
  double least = 0;
  for (rt::TileFormat f : formats) {
    const rt::TileShape shape = target.tiles[size_t(f)];
    if (shape.mr == 0) continue;
    const double c = cost(view, shape, target);
    if (!best || c < target.tuning.worthwhile_shape * least) best = f, least = c;
  }
  return best;
}

Prepared prepare_tiles(Program& program, Layouts& layouts, LoopNest nest, rt::TileFormat format, rt::TileShape tile,
                       const Options& options, const Tuning& tuning, const Target* in_place) {
  const ContractionView view = *view_of(nest);
  TileContraction c;
  c.format = format, c.shape = tile, c.blocking = options.blocking;
  c.left = view.left, c.right = view.right;
  c.batch = view.batch, c.rows = view.rows;
  c.columns = view.columns[0], c.k = view.k.back();
  c.taps.assign(view.k.begin(), view.k.end() - 1);
  c.tiling = tile_rows(program, c, tuning);
  Prepared prepared;
  prepared.nest = std::move(nest);
  if (in_place && right_stays_in_place(program, layouts, c, *in_place))
    read_in_place(c);
  else
    pack_right_operand(program, layouts, c, options, prepared);
  prepared.step = std::move(c);
  return prepared;
}

}  // namespace cppgen::schedule
