#include "cppgen/ir/program/prefix_reduction.h"

#include <algorithm>

namespace cppgen::ir {
namespace {

// Returns whether combining this constant changes nothing.
bool is_identity(Expr e, ReduceOp op) {
  if (e->kind != ExprKind::constant || (op != ReduceOp::sum && op != ReduceOp::prod)) return false;
  const int64_t identity = op == ReduceOp::sum ? 0 : 1;
  return is_float(e->type) ? e->float_value() == double(identity) : e->int_value() == identity;
}

// Recognises a guard 0 <= a - r - shift, or 0 <= r - a - shift, whose upper end the extents of the loops imply.
std::optional<PrefixReduction> form_of(const Guard& guard, const Loop& outer, int number, const Loop& reduced) {
  if (!guard.lo.is_constant(0) || guard.hi != outer.extent || guard.hi != reduced.extent) return std::nullopt;
  const IndexExpr distance = outer.var - reduced.var;
  const IndexExpr before = distance - guard.index, after = IndexExpr() - distance - guard.index;
  if (before.is_constant() && before.constant() >= 0) return PrefixReduction{number, before.constant(), false};
  if (after.is_constant() && after.constant() >= 0) return PrefixReduction{number, after.constant(), true};
  return std::nullopt;
}

bool only_guard_depends(Expr load, const Guard& guard, const IndexNode* variable) {
  const auto depends = [&](IndexExpr e) { return depends_on(e, variable); };
  return load->indirects.empty() && std::none_of(load->indices.begin(), load->indices.end(), depends) &&
         std::none_of(load->guards.begin(), load->guards.end(), [&](const Guard& g) {
           return !(g == guard) && (depends(g.index) || depends(g.lo) || depends(g.hi));
         });
}

std::optional<PrefixReduction> form_of(const Reduction& r, const LoopNest& nest) {
  if (r.value->kind != ExprKind::load || r.value->guards.empty() || !is_identity(r.value->args[0], r.op))
    return std::nullopt;
  for (const Guard& guard : r.value->guards)
    for (size_t i = 0; i < nest.loops.size(); i++) {
      const auto form = form_of(guard, nest.loops[i], int(i), nest.reduced[0]);
      if (form && only_guard_depends(r.value, guard, nest.loops[i].var.node())) return form;
    }
  return std::nullopt;
}

}  // namespace

std::optional<PrefixReduction> prefix_reduction(const LoopNest& nest) {
  if (nest.reduced.size() != 1 || nest.reductions.empty()) return std::nullopt;
  const auto form = form_of(nest.reductions[0], nest);
  const bool same = std::all_of(nest.reductions.begin(), nest.reductions.end(),
                                [&](const Reduction& r) { return form_of(r, nest) == form; });
  return same ? form : std::nullopt;
}

}  // namespace cppgen::ir
