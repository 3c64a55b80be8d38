#include "cppgen/schedule/contraction.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/schedule/engine_conditions.h"
#include "cppgen/schedule/n_bits.h"
#include "cppgen/schedule/onednn.h"
#include "cppgen/schedule/tiles.h"
#include "cppgen/schedule/uses.h"
#include "cppgen/schedule/xsmm.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/xsmm.h"

namespace cppgen::schedule {

using ir::AxisRole;
using ir::ExprKind;
using ir::Loop;

bool moves_with(Expr load, const Loop& loop) {
  return std::any_of(load->indices.begin(), load->indices.end(),
                     [&](IndexExpr i) { return ir::depends_on(i, loop.var.node()); });
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

// What is widened before it is multiplied: the operand's own type tells from what.
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
  view.depth = nest.reduced;
  Expr a = uncast(product->args[0]), b = uncast(product->args[1]);
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

const std::vector<Engine>& engine_list() {
  using enum rt::TileFormat;
  static const std::vector<Engine> list = {
      {"amx-bf16", "CPP", Engine::tiles, {split1}, splits_into_one},
      {"amx-bf16x3", "CPP", Engine::tiles, {split2}, splits_into_two},
      {"amx-bf16x6", "CPP", Engine::tiles, {split3}, splits_into_three},
      {"avx512-bf16", "CPP", Engine::tiles, {bf16_of_f32}, rounds_to_bf16},
      {"cppgen", "CPP", Engine::tiles, {f32, f32_wide, f32_narrow}},
      {"amx-int8", "CPP", Engine::tiles, {u8s8_block}, multiplies_bytes_on_tiles},
      {"amx-int8", "CPP", Engine::tiles, {s8s8_block}, multiplies_bytes_on_tiles},
      {"cppgen", "CPP", Engine::tiles, {u8s8}},
      {"cppgen", "CPP", Engine::tiles, {s8s8}},
      {"amx-bf16-tensors", "CPP", Engine::tiles, {split_bf16}, multiplies_bf16_tiles},
      {"avx512-bf16-tensors", "CPP", Engine::tiles, {bf16}, multiplies_bf16_pairs},
      {"cppgen-bf16", "CPP", Engine::tiles, {f32_of_bf16}},
      {"cppgen-f16", "CPP", Engine::tiles, {f32_of_f16}},
      {"cppgen-n-bits", "CPP", Engine::n_bits},
      {"xsmm", "XSMM", Engine::xsmm},
      {"onednn", "ONEDNN", Engine::onednn},
      {"loops", "", Engine::loops},
  };
  return list;
}

namespace {

FusionDecision onednn_supports(const Program& program, const Layouts& layouts, const LoopNest& nest,
                               const Target& target) {
  if (target.isa == "scalar") return FusionDecision::no("oneDNN would use a wider ISA than the one forced");
  if (auto regular = tiles_support(program, layouts, nest, rt::TileFormat::f32); !regular) return regular;
  OnednnForm form = onednn_form(program, layouts, *view_of(nest));
  return form.params.empty() ? FusionDecision::no(form.reason) : FusionDecision::yes();
}

}  // namespace

namespace {

// Tiles in one of the formats.
FusionDecision tiles_run(const Engine& engine, const Program& program, const Layouts& layouts, const LoopNest& nest,
                         const Options& options, const Target& target) {
  if (engine.condition)
    if (auto holds = engine.condition(program, nest, options, target); !holds) return holds;
  const auto format = choose_format(nest, engine.formats, target);
  if (!format) return FusionDecision::no("no such tiles for " + target.isa);
  if (!prepared_rows_fit(nest, *format, target)) return FusionDecision::no("its prepared rows would be too long");
  return tiles_support(program, layouts, nest, *format);
}

}  // namespace

FusionDecision supports(const Engine& engine, const Program& program, const Layouts& layouts, const LoopNest& nest,
                        const Options& options, const Target& target) {
  switch (engine.kind) {
    case Engine::tiles:
      return tiles_run(engine, program, layouts, nest, options, target);
    case Engine::n_bits:
      return n_bits_support(program, layouts, nest, options, target);
    case Engine::onednn:
      return onednn_supports(program, layouts, nest, target);
    case Engine::xsmm:
      return xsmm_supports(program, layouts, nest, target, rt::xsmm_lanes());
    case Engine::loops:
      return FusionDecision::yes("reference loops");
  }
  internal_error("engine {} is of no kind", engine.name);
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

std::vector<const Engine*> choose_engines(const Program& program, const Layouts& layouts,
                                          const std::vector<int>& elsewhere, const Options& options,
                                          const Target& target, DecisionLog& log) {
  auto engines = in_preference(options.gemm_backends);
  std::vector<const Engine*> chosen(program.statements.size(), nullptr);
  for (size_t i = 0; i < program.statements.size(); i++) {
    const LoopNest* nest = as_nest(program.statements[i]);
    if (!nest || !nest->is_contraction()) continue;
    if (std::find(elsewhere.begin(), elsewhere.end(), int(i)) != elsewhere.end()) continue;
    for (const Engine* e : engines) {
      auto decision = supports(*e, program, layouts, *nest, options, target);
      log.add("engine", describe(program.statements[i]) + " on " + e->name, decision);
      if (!decision) continue;
      chosen[i] = e;
      break;
    }
  }
  return chosen;
}

}  // namespace cppgen::schedule
