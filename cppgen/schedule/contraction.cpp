#include "cppgen/schedule/contraction.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/schedule/onednn.h"
#include "cppgen/schedule/uses.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {

using ir::AxisRole;
using ir::ExprKind;
using ir::Loop;

namespace {

bool moves_with(Expr load, const Loop& loop) {
  return std::any_of(load->indices.begin(), load->indices.end(),
                     [&](IndexExpr i) { return ir::depends_on(i, loop.var.node()); });
}

bool any_moves(Expr load, const std::vector<Loop>& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const Loop& l) { return moves_with(load, l); });
}

IndexExpr offset(const Program& program, const Layouts& layouts, Expr load) {
  return offset_of(program.buffer(load->buffer), layouts[size_t(load->buffer)], load->indices);
}

bool is_constant(const Program& program, BufferId b) { return program.buffer(b).kind == ir::BufferKind::constant; }

}  // namespace

std::optional<ContractionView> view_of(const LoopNest& nest) {
  if (!nest.is_contraction() || nest.reductions.size() != 1) return std::nullopt;
  Expr product = nest.reductions[0].value;
  if (product->kind != ExprKind::binary || product->binary != ir::BinaryOp::mul) return std::nullopt;
  ContractionView view;
  for (size_t i = 0; i < nest.loops.size(); i++) {
    auto& list = nest.roles[i] == AxisRole::batch  ? view.batch
                 : nest.roles[i] == AxisRole::rows ? view.rows
                                                   : view.columns;
    list.push_back(nest.loops[i]);
  }
  view.depth = nest.reduced;
  Expr a = product->args[0], b = product->args[1];
  if (a->kind != ExprKind::load || b->kind != ExprKind::load) return std::nullopt;
  if (any_moves(a, view.columns) || any_moves(b, view.rows)) std::swap(a, b);
  if (any_moves(a, view.columns) || any_moves(b, view.rows)) return std::nullopt;
  view.left = a, view.right = b;
  // Batch loops that do not select among right operands are rows.
  for (size_t i = view.batch.size(); i-- > 0;) {
    if (moves_with(b, view.batch[i])) continue;
    view.rows.insert(view.rows.begin(), view.batch[i]);
    view.batch.erase(view.batch.begin() + long(i));
  }
  return view;
}

namespace {

constexpr int64_t kMostTaps = 1024, kTinyDepth = 4, kTinyColumns = 3;

FusionDecision tiles_support(const Program& program, const Layouts& layouts, const LoopNest& nest, const Target&) {
  auto view = view_of(nest);
  if (!view) return FusionDecision::no("operands are not two loads");
  if (program.buffer(view->left->buffer).type != DType::f32 || program.buffer(view->right->buffer).type != DType::f32 ||
      nest.reductions[0].type != DType::f32)
    return FusionDecision::no("not float32");
  if (view->columns.size() != 1) return FusionDecision::no("columns are not one loop");
  if (view->depth.empty()) return FusionDecision::no("no depth");
  if (!view->right->guards.empty() || !view->right->indirects.empty() || !view->left->indirects.empty())
    return FusionDecision::no("operands are read under conditions");
  const Loop& depth = view->depth.back();
  IndexExpr left = offset(program, layouts, view->left), right = offset(program, layouts, view->right);
  auto stride = ir::stride_of(left, depth.var.node());
  if (!stride || !(stride->is_constant(1) || depth.extent.is_constant(1)))
    return FusionDecision::no("the left operand's depth is not contiguous");
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

FusionDecision onednn_supports(const Program& program, const Layouts& layouts, const LoopNest& nest,
                               const Target& target) {
  if (target.isa == "scalar") return FusionDecision::no("oneDNN would use a wider ISA than the one forced");
  auto view = view_of(nest);
  if (!view) return FusionDecision::no("operands are not two loads");
  if (auto supported = tiles_support(program, layouts, nest, target); !supported) return supported;
  OnednnForm form = onednn_form(program, layouts, *view);
  return form.params.empty() ? FusionDecision::no(form.reason) : FusionDecision::yes();
}

FusionDecision loops_support(const Program&, const Layouts&, const LoopNest&, const Target&) {
  return FusionDecision::yes("reference loops");
}

}  // namespace

const std::vector<Engine>& engine_list() {
  static const std::vector<Engine> list = {
      {"cppgen", "CPP", tiles_support},
      {"onednn", "ONEDNN", onednn_supports},
      {"loops", "", loops_support},
  };
  return list;
}

namespace {

std::vector<const Engine*> in_preference(const std::vector<std::string>& backends) {
  std::vector<const Engine*> order;
  for (const auto& backend : backends)
    for (const Engine& e : engine_list())
      if (e.backend == backend) order.push_back(&e);
  for (const Engine& e : engine_list())
    if (e.backend.empty()) order.push_back(&e);
  return order;
}

}  // namespace

std::vector<std::string> choose_engines(const Program& program, const Layouts& layouts, const Options& options,
                                        const Target& target, DecisionLog& log) {
  auto engines = in_preference(options.gemm_backends);
  std::vector<std::string> chosen(program.statements.size());
  for (size_t i = 0; i < program.statements.size(); i++) {
    const LoopNest* nest = as_nest(program.statements[i]);
    if (!nest || !nest->is_contraction()) continue;
    for (const Engine* e : engines) {
      auto decision = e->supports(program, layouts, *nest, target);
      log.add("engine", describe(program.statements[i]) + " on " + e->name, decision);
      if (!decision) continue;
      chosen[i] = e->name;
      break;
    }
  }
  return chosen;
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

PackedConstant pack_constant(const Program& program, const ContractionView& view, BufferId packed,
                             const std::vector<Loop>& batch) {
  PackedConstant p;
  p.source = view.right->buffer, p.packed = packed;
  IndexExpr offset =
      offset_of(program.buffer(p.source), row_major(program.buffer(p.source).shape.size()), view.right->indices);
  auto stride = [&](const Loop& l) { return ir::stride_of(offset, l.var.node())->constant(); };
  p.batch = points(batch);
  p.batch_stride = batch.empty() ? 0 : stride(batch.back());
  for (size_t i = 0; i + 1 < batch.size(); i++)
    check(stride(batch[i]) == stride(batch[i + 1]) * batch[i + 1].extent.constant(),
          "pack: batch loops are not one loop");
  p.columns = view.columns[0].extent, p.column_stride = stride(view.columns[0]);
  p.depth = view.depth.back().extent, p.depth_stride = stride(view.depth.back());
  p.tap_offsets = {ir::evaluate(offset, [](const auto&) { return 0; })};
  for (size_t i = 0; i + 1 < view.depth.size(); i++) {
    std::vector<int64_t> next;
    for (int64_t base : p.tap_offsets)
      for (int64_t t = 0; t < view.depth[i].extent.constant(); t++) next.push_back(base + t * stride(view.depth[i]));
    p.tap_offsets = std::move(next);
  }
  p.taps = int64_t(p.tap_offsets.size());
  return p;
}

// packed[batch, panel, tap, depth, column] = right, 0 beyond the last column.
LoopNest packing_nest(Program& program, const ContractionView& view, const std::vector<Loop>& batch, BufferId packed,
                      int64_t width, const LoopNest& user) {
  LoopNest nest;
  nest.name = "pack";
  nest.origins = user.origins;
  ir::IndexMap map;
  std::vector<IndexExpr> at;
  IndexExpr batch_index = 0, tap_index = 0;
  auto loop = [&](const std::string& prefix, IndexExpr extent) {
    IndexExpr var = program.index->loop(prefix, extent);
    nest.loops.push_back({var, extent});
    return var;
  };
  for (const auto& l : batch) {
    IndexExpr v = loop("b", l.extent);
    map[l.var.node()] = v;
    batch_index = batch_index * l.extent + v;
  }
  IndexExpr panel = loop("p", ir::ceildiv(view.columns[0].extent, width));
  for (size_t i = 0; i + 1 < view.depth.size(); i++) {
    IndexExpr v = loop("t", view.depth[i].extent);
    map[view.depth[i].var.node()] = v;
    tap_index = tap_index * view.depth[i].extent + v;
  }
  IndexExpr k = loop("k", view.depth.back().extent), j = loop("j", width);
  map[view.depth.back().var.node()] = k;
  IndexExpr column = panel * width + j;
  map[view.columns[0].var.node()] = column;
  std::vector<IndexExpr> indices;
  for (IndexExpr i : view.right->indices) indices.push_back(ir::substitute(i, map));
  std::vector<ir::Guard> guards;
  if (!ir::prove_less(column, view.columns[0].extent)) guards.push_back({column, 0, view.columns[0].extent});
  Expr zero = program.exprs->constant(DType::f32, 0);
  Expr value = program.exprs->load(view.right->buffer, DType::f32, indices, guards, guards.empty() ? nullptr : zero);
  nest.stores.push_back({packed, {batch_index, panel, tap_index, k, j}, value, {}});
  return nest;
}

}  // namespace

namespace {

// The nest reads its right operand from the panels: what they hold is what it read before.
void read_packed(Program& program, LoopNest& nest, const TileContraction& c, int64_t width) {
  IndexExpr tap = linear(c.taps);
  std::vector<IndexExpr> at{c.packed_batch, ir::floordiv(c.columns.var, width), tap, c.depth.var,
                            ir::mod(c.columns.var, width)};
  ir::Rewrite redirect;
  redirect.replace_load = [&](Expr load) {
    return load == c.right ? program.exprs->load(c.packed, DType::f32, at) : nullptr;
  };
  auto& value = nest.reductions[0].value;
  value = ir::rewrite(*program.exprs, value, redirect);
}

}  // namespace

TilePreparation prepare_tiles(Program& program, Layouts& layouts, LoopNest& nest, const Target& target) {
  ContractionView view = *view_of(nest);
  TilePreparation result;
  TileContraction& c = result.contraction;
  c.left = view.left, c.right = view.right;
  c.batch = view.batch, c.rows = view.rows;
  c.columns = view.columns[0], c.depth = view.depth.back();
  c.taps.assign(view.depth.begin(), view.depth.end() - 1);
  auto batch = moving(view.right, view.batch);
  c.packed_batch = linear(batch);
  int64_t width = target.tile_columns;
  IndexExpr panels = ir::ceildiv(c.columns.extent, width), taps = points(c.taps);
  c.panel_elements = taps * c.depth.extent * width;
  std::vector<IndexExpr> shape{points(batch), panels, taps, c.depth.extent, width};
  bool constant = is_constant(program, view.right->buffer);
  std::string name = program.buffer(view.right->buffer).name + ".packed";
  c.packed =
      program.add_buffer(name, DType::f32, shape, constant ? ir::BufferKind::constant : ir::BufferKind::temporary);
  layouts.push_back(row_major(shape.size()));
  if (constant)
    result.packed = pack_constant(program, view, c.packed, batch);
  else
    result.packing = packing_nest(program, view, batch, c.packed, width, nest);
  read_packed(program, nest, c, width);
  return result;
}

}  // namespace cppgen::schedule
