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
    found.push_back({e, start, *across, {fmt::format("turned{}", found.size()), "width"}});
  }
  return found;
}

// The last keys that are hidden from some rows, where values are contiguous.
std::optional<KeysSeen> AttentionWriter::hidden_keys() const {
  return value_matrix().rows_contiguous ? keys_seen(schedule_.program, *kernel_.attention) : std::nullopt;
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
  if (std::isfinite(seen.fill)) {  // what is hidden counts where a row sees nothing greater
    body_.line("const vec::i64 seen_by_unit = keys;");
    return;
  }
  body_.line("const vec::i64 last1 = vec::imin(rows, panel1 * {}) - 1;", nr);
  body_.line("const vec::i64 seen_by_unit = leave_out ? vec::imin(keys, vec::imax({} + {} * last1, 1)) : keys;",
             index_text(seen.first), seen.by_row);
}

}  // namespace cppgen::codegen
