#include "cppgen/schedule/tiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/schedule/row_tiling.h"
#include "cppgen/schedule/uses.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {

using ir::Loop;

namespace {

constexpr int64_t kMostTaps = 1024, kTinyDepth = 4, kTinyColumns = 3;

IndexExpr offset(const Program& program, const Layouts& layouts, Expr load) {
  return offset_of(program.buffer(load->buffer), layouts[size_t(load->buffer)], load->indices);
}

bool is_zero(Expr padding) { return padding->kind == ir::ExprKind::constant && padding->bits == 0; }

bool is_constant(const Program& program, BufferId b) { return program.buffer(b).kind == ir::BufferKind::constant; }

}  // namespace

FusionDecision tiles_support(const Program& program, const Layouts& layouts, const LoopNest& nest,
                             rt::TileFormat format) {
  auto view = view_of(nest);
  if (!view) return FusionDecision::no("operands are not two loads");
  const rt::TileFormatInfo& types = info(format);
  if (program.buffer(view->left->buffer).type != types.left ||
      program.buffer(view->right->buffer).type != types.right || nest.reductions[0].type != types.sum)
    return FusionDecision::no(fmt::format("not {} x {}", name_of(types.left), name_of(types.right)));
  if (view->columns.size() != 1) return FusionDecision::no("columns are not one loop");
  if (view->depth.empty()) return FusionDecision::no("no depth");
  if (!view->right->guards.empty() || !view->right->indirects.empty() || !view->left->indirects.empty())
    return FusionDecision::no("operands are read under conditions");
  const Loop& depth = view->depth.back();
  IndexExpr left = offset(program, layouts, view->left), right = offset(program, layouts, view->right);
  auto stride = ir::stride_of(left, depth.var.node());
  if (!stride || !(stride->is_constant(1) || depth.extent.is_constant(1)))
    return FusionDecision::no("the left operand's depth is not contiguous");
  if (!view->left->guards.empty() && !is_one_value(view->left->args[0]))
    return FusionDecision::no("padding is not one value");
  if (!view->left->guards.empty() && (types.left == DType::f16 || types.left == DType::bf16) &&
      !is_zero(view->left->args[0]))
    return FusionDecision::no("padding is not zero");
  for (const auto& guard : view->left->guards)
    if (ir::depends_on(guard.index, depth.var.node()) || !depth.extent.is_constant())
      return FusionDecision::no("padding along the depth");
  IndexExpr taps = 1;
  for (size_t i = 0; i + 1 < view->depth.size(); i++) taps = taps * view->depth[i].extent;
  if (!taps.is_constant() || taps.constant() > kMostTaps) return FusionDecision::no("too many taps, or not constant");
  for (const auto* loops : {&view->batch, &view->columns, &view->depth})
    for (const Loop& l : *loops) {
      auto s = ir::stride_of(right, l.var.node());
      if (!s || (is_constant(program, view->right->buffer) && !s->is_constant()))
        return FusionDecision::no("the right operand is not strided");
    }
  IndexExpr k = taps * depth.extent;
  if (k.is_constant() && k.constant() < kTinyDepth) return FusionDecision::no("tiny: as loops");
  if (view->columns[0].extent.is_constant() && view->columns[0].extent.constant() < kTinyColumns)
    return FusionDecision::no("tiny: as loops");
  return FusionDecision::yes();
}

bool prepared_rows_fit(const LoopNest& nest, rt::TileFormat format, const Target& target) {
  constexpr int64_t kMostBytes = 8 << 20;
  const auto view = view_of(nest);
  if (!view) return true;
  int64_t depth = 1;
  for (const Loop& l : view->depth) depth *= l.extent.is_constant() ? l.extent.constant() : 1;
  return rt::prepared_bytes(format, target.tiles[size_t(format)].mr, 1, depth) <= kMostBytes;
}

namespace {

constexpr double kWorthwhile = 0.97;  // of a shape's cost, to be preferred to one before it

// Time of one row of the contraction over one step of its depth, up to a factor; 0 where it is not known. The shape
// that reads most operands for each product is a little slower.
double cost(const std::optional<ContractionView>& view, rt::TileShape shape) {
  if (!view || view->columns.size() != 1 || !view->columns[0].extent.is_constant()) return 0;
  constexpr double kNarrowPenalty = 1.1;
  const double panels = double((view->columns[0].extent.constant() + shape.nr - 1) / shape.nr);
  return panels * shape.nr * (shape.mr > shape.nr ? kNarrowPenalty : 1);
}

}  // namespace

std::optional<rt::TileFormat> choose_format(const LoopNest& nest, std::span<const rt::TileFormat> formats,
                                            const Target& target) {
  const auto view = view_of(nest);
  std::optional<rt::TileFormat> best;
  double least = 0;
  for (rt::TileFormat f : formats) {
    const rt::TileShape shape = target.tiles[size_t(f)];
    if (shape.mr == 0) continue;
    const double c = cost(view, shape);
    if (!best || c < kWorthwhile * least) best = f, least = c;
  }
  return best;
}

namespace {

std::vector<Loop> moving(Expr load, const std::vector<Loop>& loops) {
  std::vector<Loop> result;
  for (const auto& l : loops)
    if (moves_with(load, l)) result.push_back(l);
  return result;
}

// Position in a mixed radix number whose digits are the loops' variables.
IndexExpr linear(const std::vector<Loop>& loops) {
  IndexExpr index = 0;
  for (const auto& l : loops) index = index * l.extent + l.var;
  return index;
}

}  // namespace

std::vector<int64_t> offsets_of(const std::vector<Loop>& loops, IndexExpr offset, int64_t first) {
  std::vector<int64_t> offsets = {first};
  for (const Loop& l : loops) {
    const int64_t stride = ir::stride_of(offset, l.var.node())->constant();
    std::vector<int64_t> next;
    for (int64_t base : offsets)
      for (int64_t i = 0; i < l.extent.constant(); i++) next.push_back(base + i * stride);
    offsets = std::move(next);
  }
  return offsets;
}

namespace {

PackedConstant pack_constant(const Program& program, const ContractionView& view, const TileContraction& c,
                             const std::vector<Loop>& batch) {
  PackedConstant p;
  p.source = view.right->buffer, p.packed = c.packed, p.format = c.format, p.width = c.shape.nr;
  IndexExpr offset =
      offset_of(program.buffer(p.source), row_major(program.buffer(p.source).shape.size()), view.right->indices);
  auto stride = [&](const Loop& l) { return ir::stride_of(offset, l.var.node())->constant(); };
  p.columns = c.columns.extent, p.column_stride = stride(c.columns);
  p.depth = c.depth.extent, p.depth_stride = stride(c.depth);
  p.batch_offsets = offsets_of(batch, offset, ir::evaluate(offset, [](const auto&) { return 0; }));
  p.tap_offsets = offsets_of(c.taps, offset, 0);
  return p;
}

Expr zero_of(ir::ExprArena& exprs, DType type) {
  return is_float(type) ? exprs.constant(type, 0) : exprs.constant_int(type, 0);
}

// packed[batch, panel, tap, depth / group, column, depth % group] = right, 0 beyond the last column and depth.
class PackingNest {
 public:
  PackingNest(Program& program, const ContractionView& view, const TileContraction& c) : program_(program) {
    nest_.name = "pack";
    for (const Loop& l : moving(view.right, view.batch)) at_batch_ = at_batch_ * l.extent + replaced("b", l);
    panel_ = loop("p", ir::ceildiv(c.columns.extent, c.shape.nr));
    for (const Loop& l : c.taps) at_tap_ = at_tap_ * l.extent + replaced("t", l);
    const int64_t group = info(c.format).depth_group;
    IndexExpr step = loop("k", ir::ceildiv(c.depth.extent, group));
    IndexExpr j = loop("j", c.shape.nr);
    IndexExpr in_group = group == 1 ? IndexExpr(int64_t{0}) : loop("g", group);
    guarded(c.depth, step * group + in_group);
    guarded(c.columns, panel_ * c.shape.nr + j);
    store(view.right, c.packed, {at_batch_, panel_, at_tap_, step, j, in_group});
  }
  LoopNest take() { return std::move(nest_); }

 private:
  Program& program_;
  LoopNest nest_;
  ir::IndexMap map_;
  std::vector<ir::Guard> guards_;
  IndexExpr at_batch_ = 0, at_tap_ = 0, panel_;

  IndexExpr loop(const char* prefix, IndexExpr extent) {
    IndexExpr var = program_.index->loop(prefix, extent);
    nest_.loops.push_back({var, extent});
    return var;
  }
  IndexExpr replaced(const char* prefix, const Loop& l) { return map_[l.var.node()] = loop(prefix, l.extent); }
  void guarded(const Loop& l, IndexExpr index) {
    map_[l.var.node()] = index;
    if (!ir::prove_less(index, l.extent)) guards_.push_back({index, 0, l.extent});
  }
  void store(Expr right, BufferId packed, std::vector<IndexExpr> at) {
    std::vector<IndexExpr> indices;
    for (IndexExpr i : right->indices) indices.push_back(ir::substitute(i, map_));
    Expr zero = guards_.empty() ? nullptr : zero_of(*program_.exprs, right->type);
    Expr value = program_.exprs->load(right->buffer, program_.buffer(right->buffer).type, indices, guards_, zero);
    nest_.stores.push_back({packed, std::move(at), value, {}});
  }
};

// The nest reads its right operand from the panels: what they hold is what it read before, rounded to their type. Of
// blocks a nest cannot say what panels mean; it shows that they are read.
void read_packed(Program& program, LoopNest& nest, const TileContraction& c) {
  const int64_t width = c.shape.nr, group = info(c.format).depth_group;
  std::vector<IndexExpr> at{c.packed_batch,
                            ir::floordiv(c.columns.var, width),
                            linear(c.taps),
                            ir::floordiv(c.depth.var, group),
                            ir::mod(c.columns.var, width),
                            ir::mod(c.depth.var, group)};
  if (info(c.format).form == rt::LeftForm::block) at = {c.packed_batch, ir::floordiv(c.columns.var, width), 0};
  ir::Rewrite redirect;
  redirect.replace_load = [&](Expr load) -> Expr {
    if (load != c.right) return nullptr;
    return program.exprs->cast(load->type, program.exprs->load(c.packed, program.buffer(c.packed).type, at));
  };
  auto& value = nest.reductions[0].value;
  value = ir::rewrite(*program.exprs, value, redirect);
}

// Shape of the panels; sets where they lie in it.
std::vector<IndexExpr> panel_shape(TileContraction& c, const std::vector<Loop>& batch) {
  const int64_t group = info(c.format).depth_group;
  IndexExpr panels = ir::ceildiv(c.columns.extent, c.shape.nr), taps = points(c.taps),
            steps = ir::ceildiv(c.depth.extent, group);
  c.packed_batch = linear(batch);
  if (info(c.format).form == rt::LeftForm::block) {
    c.panel_elements = rt::panel_elements(c.format, taps.constant(), c.depth.extent.constant(), c.shape.nr);
    return {points(batch), panels, c.panel_elements};
  }
  c.panel_elements = taps * steps * (c.shape.nr * group);
  return {points(batch), panels, taps, steps, c.shape.nr, group};
}

}  // namespace

TilePreparation prepare_tiles(Program& program, Layouts& layouts, LoopNest& nest, rt::TileFormat format,
                              rt::TileShape tile, const Options& options) {
  ContractionView view = *view_of(nest);
  TilePreparation result;
  TileContraction& c = result.contraction;
  c.format = format, c.shape = tile;
  c.left = view.left, c.right = view.right;
  c.batch = view.batch, c.rows = view.rows;
  c.columns = view.columns[0], c.depth = view.depth.back();
  c.taps.assign(view.depth.begin(), view.depth.end() - 1);
  auto batch = moving(view.right, view.batch);
  c.tiling = tile_rows(program, c);
  auto shape = panel_shape(c, batch);
  const size_t rank = shape.size();
  const bool constant = options.weight_prepack && is_constant(program, view.right->buffer);
  c.packed = program.add_buffer(program.buffer(view.right->buffer).name + ".packed", info(format).panel,
                                std::move(shape), constant ? ir::BufferKind::constant : ir::BufferKind::temporary);
  layouts.push_back(row_major(rank));
  if (constant) {
    result.packed = pack_constant(program, view, c, batch);
  } else {
    result.packing = PackingNest(program, view, c).take();
    result.packing->origins = nest.origins;
  }
  read_packed(program, nest, c);
  return result;
}

}  // namespace cppgen::schedule
