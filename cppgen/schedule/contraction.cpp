#include "cppgen/schedule/contraction.h"

#include <algorithm>

namespace cppgen::schedule {

using ir::AxisRole;
using ir::ExprKind;
using ir::Loop;

bool moves_with(Expr load, const Loop& loop) {
  return std::any_of(load->indices.begin(), load->indices.end(),
                     [&](IndexExpr i) { return ir::depends_on(i, loop.var.node()); });
}

IndexExpr flops_of(const ContractionView& view) {
  return 2 * points(view.batch) * points(view.rows) * points(view.columns) * points(view.k);
}

bool has_windows(const ContractionView& view) {
  const auto is_window = [&](IndexExpr index, const Loop& row, const Loop& tap) {
    if (tap.extent.is_constant(1) || !ir::depends_on(index, row.var.node()) || !ir::depends_on(index, tap.var.node()))
      return false;
    // The rows of a reshaped matrix may be parts of one dimension, too, but they do not overlap.
    const auto step = ir::stride_of(index, row.var.node());
    return view.k.size() > 1 || (step && ir::prove_less(*step, tap.extent));
  };
  for (IndexExpr index : view.left->indices)
    for (const Loop& row : view.rows)
      for (const Loop& tap : view.k)
        if (is_window(index, row, tap)) return true;
  return false;
}

bool has_single_tap(const ContractionView& view) {
  return view.k.size() > 1 &&
         std::all_of(view.k.begin(), view.k.end() - 1, [](const Loop& l) { return l.extent.is_constant(1); });
}

bool is_one_value(Expr padding) {
  if (padding->kind == ir::ExprKind::constant) return true;
  auto known = [](IndexExpr i) { return i.is_constant(); };
  return padding->kind == ir::ExprKind::load && padding->guards.empty() && padding->indirects.empty() &&
         std::all_of(padding->indices.begin(), padding->indices.end(), known);
}

namespace {

bool any_moves(Expr load, const std::vector<Loop>& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const Loop& l) { return moves_with(load, l); });
}

// The value that is widened before it is multiplied; its type is that of the operand.
Expr uncast(Expr e) { return e->kind == ExprKind::cast ? e->args[0] : e; }

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
  view.k = nest.reduced;
  Expr a = uncast(product->args[0]), b = uncast(product->args[1]);
  if (a->kind != ExprKind::load || b->kind != ExprKind::load) return std::nullopt;
  if (any_moves(a, view.columns) || any_moves(b, view.rows)) std::swap(a, b);
  if (any_moves(a, view.columns) || any_moves(b, view.rows)) return std::nullopt;
  if (a == b) return std::nullopt;  // who replaces one operand in the nest would replace both
  view.left = a, view.right = b;
  // Batch loops that do not select among right operands are rows.
  for (size_t i = view.batch.size(); i-- > 0;) {
    if (moves_with(b, view.batch[i])) continue;
    view.rows.insert(view.rows.begin(), view.batch[i]);
    view.batch.erase(view.batch.begin() + long(i));
  }
  return view;
}

}  // namespace cppgen::schedule
