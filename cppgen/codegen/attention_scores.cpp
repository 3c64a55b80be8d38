// Attention: which keys its scores hide.

#include <cmath>

#include "cppgen/codegen/attention_writer.h"

namespace cppgen::codegen {

// Keys that no row of the unit's first panel sees may be left out only if their values are finite: zero times another
// value is NaN.
void AttentionWriter::write_keys_of_unit(const kernel::KeysSeen& seen) {
  const auto& a = attention();
  const kernel::OperandMatrix& m = plan_.values;
  const int64_t nr = tile().nr;
  body_.line("const vec::i64 last0 = vec::imin(rows, panel0 * {0} + {0}) - 1;", nr);
  body_.line("const vec::i64 seen0 = vec::imax({} + {} * last0, 1);", index_text(seen.first), seen.by_row);
  body_.line("auto doubt = vec::set1<float>(0);");
  body_.open("for (vec::i64 key = seen0; key < keys; key++)");
  body_.line("const auto* const value = {} + key * {};", at(context_.pointers.at(a.value->buffer), index_text(m.base)),
             factor(m.step_stride));
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
