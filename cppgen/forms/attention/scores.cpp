// Attention: keys that the mask hides.

#include <cmath>

#include "cppgen/forms/attention/writer.h"

namespace cppgen::forms {

// Keys that no row of the unit's first panel sees may be skipped only if their values are finite, because zero times
// infinity or NaN is NaN.
void AttentionWriter::write_keys_of_unit(const KeysSeen& seen) {
  const auto& a = attention();
  const OperandMatrix& m = plan_.values;
  const int64_t nr = tile().nr;
  body_.let("last0", "vec::imin(rows, panel0 * {0} + {0}) - 1", nr);
  body_.let("seen0", "vec::imax({}, 1)", seen_by("last0", seen));
  body_.variable("auto", "doubt", "vec::set1<float>(0)");
  body_.open(For{.variable = "key", .begin = "seen0", .end = "keys"});
  const Code first = sum(context_.pointers.at(a.value->buffer), index_text(m.base));
  body_.constant("const auto* const", "value", "{}", sum(first, times("key", factor(m.step_stride))));
  body_.variable("vec::i64", "at", 0);
  body_.each({.variable = "at", .begin = {}, .end = "columns", .step = "vec::L", .whole_steps = true},
             "doubt = doubt + vec::load(value + at) * vec::set1<float>(0);");
  body_.when("at < columns", "doubt = doubt + vec::load(value + at, int(columns - at)) * vec::set1<float>(0);");
  body_.close();
  body_.constant("const bool", "leave_out", "vec::lane(vec::all_sum(doubt), 0) == 0");
  if (std::isfinite(seen.fill)) {  // hidden keys count in rows that see no greater score
    return body_.let("seen_by_unit", "keys");
  }
  body_.let("last1", "vec::imin(rows, panel1 * {}) - 1", nr);
  body_.let("seen_by_unit", "leave_out ? vec::imin(keys, vec::imax({}, 1)) : keys", seen_by("last1", seen));
}

// The number of keys that this row sees.
Code AttentionWriter::seen_by(const Code& row, const KeysSeen& seen) const {
  return sum(index_text(seen.first), times(row, seen.by_row));
}

}  // namespace cppgen::forms
