// Attention: how the scores' own operands are read, and which keys they hide.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cppgen/codegen/attention_writer.h"

namespace cppgen::codegen {

std::vector<AttentionWriter::TurnedLoad> AttentionWriter::turned_loads() const {
  const auto& a = *kernel_.attention;
  std::vector<TurnedLoad> found;
  for (Expr e : ir::postorder({&a.score, 1})) {
    if (e->kind != ir::ExprKind::load || !e->guards.empty() || !e->indirects.empty()) continue;
    const IndexExpr offset = context_.offset(e->buffer, e->indices);
    const auto along = ir::stride_of(offset, a.keys.var.node()), across = ir::stride_of(offset, a.rows.var.node());
    if (!along || !along->is_constant(1) || !across || across->is_constant(0) || across->is_constant(1)) continue;
    const IndexExpr start = ir::substitute(offset, {{a.keys.var.node(), 0}, {a.rows.var.node(), 0}});
    found.push_back({e, start, *across, fmt::format("turned{}", found.size())});
  }
  return found;
}

namespace {

bool is_hidden(Expr e) { return e->kind == ir::ExprKind::constant && e->float_value() == -INFINITY; }

// least <= the difference of two index values, where a condition says so.
struct IndexCondition {
  IndexExpr difference;
  int64_t least;
};

std::optional<IndexCondition> index_condition(Expr e) {
  if (e->kind != ir::ExprKind::binary) return std::nullopt;
  Expr a = e->args[0], b = e->args[1];
  if (a->kind != ir::ExprKind::index || b->kind != ir::ExprKind::index) return std::nullopt;
  const IndexExpr x = a->indices[0], y = b->indices[0];
  switch (e->binary) {
    case ir::BinaryOp::le:
      return IndexCondition{y - x, 0};
    case ir::BinaryOp::lt:
      return IndexCondition{y - x, 1};
    case ir::BinaryOp::ge:
      return IndexCondition{x - y, 0};
    case ir::BinaryOp::gt:
      return IndexCondition{x - y, 1};
    default:
      return std::nullopt;
  }
}

}  // namespace

// A causal mask: all keys that some row sees lie in front of those that indices alone hide with -infinity.
std::optional<AttentionWriter::KeysSeen> AttentionWriter::keys_seen() const {
  const auto& a = *kernel_.attention;
  const LeftMatrix values = matrix_of(context_.offset(a.value->buffer, a.value->indices), a.columns, a.keys);
  if (!values.rows_contiguous) return std::nullopt;
  for (Expr e = a.score; e->kind == ir::ExprKind::select && is_hidden(e->args[2]); e = e->args[1]) {
    const auto condition = index_condition(e->args[0]);
    if (!condition) continue;
    const auto by_key = ir::stride_of(condition->difference, a.keys.var.node());
    const auto by_row = ir::stride_of(condition->difference, a.rows.var.node());
    if (!by_key || !by_key->is_constant(-1) || !by_row || !by_row->is_constant() || by_row->constant() < 0) continue;
    const IndexExpr first =
        ir::substitute(condition->difference, {{a.keys.var.node(), 0}, {a.rows.var.node(), 0}}) - condition->least + 1;
    return KeysSeen{first, by_row->constant()};
  }
  return std::nullopt;
}

// Keys that no row of the unit's first panel sees may be left out only if their values are finite: zero times another
// value is NaN.
void AttentionWriter::write_keys_of_unit(const KeysSeen& seen) {
  const auto& a = *kernel_.attention;
  const LeftMatrix m = matrix_of(context_.offset(a.value->buffer, a.value->indices), a.columns, a.keys);
  const int64_t nr = tile().nr;
  body_.line("const vec::i64 last0 = vec::imin(rows, panel0 * {0} + {0}) - 1;", nr);
  body_.line("const vec::i64 seen0 = vec::imax({} + {} * last0, 1);", index_text(seen.first), seen.by_row);
  body_.line("auto doubt = vec::set1<float>(0);");
  body_.open("for (vec::i64 key = seen0; key < keys; key++)");
  body_.line("const auto* const value = {} + {} + key * ({});", context_.pointers.at(a.value->buffer),
             index_text(m.base), index_text(m.step_stride));
  body_.line("vec::i64 at = 0;");
  body_.line(
      "for (; at + vec::L <= columns; at += vec::L) doubt = doubt + vec::load(value + at) * vec::set1<float>(0);");
  body_.line("if (at < columns) doubt = doubt + vec::load(value + at, int(columns - at)) * vec::set1<float>(0);");
  body_.close();
  body_.line("const bool leave_out = vec::lane(vec::all_sum(doubt), 0) == 0;");
  body_.line("const vec::i64 last1 = vec::imin(rows, panel1 * {}) - 1;", nr);
  body_.line("const vec::i64 seen_by_unit = leave_out ? vec::imin(keys, vec::imax({} + {} * last1, 1)) : keys;",
             index_text(seen.first), seen.by_row);
}

}  // namespace cppgen::codegen
