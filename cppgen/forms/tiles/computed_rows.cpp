// A left operand that is a value of other tensors: the rows of a tile are computed into scratch memory, where the tiles
// of all panels read them.

#include <fmt/format.h>

#include "cppgen/forms/tiles/writer.h"

namespace cppgen::forms {

using ir::Loop;

// The rows of all tiles lie at the same place.
void TileWriter::declare_computed_rows() {
  note_scratch("rows: the left operand of a tile");
  if (plan_.even_rows) {
    before_.constant("static const vec::i64", "tap_offsets[]", "{{0}}");
    before_.constant("const float* const", "left", "(const float*)args->scratch");
    return;
  }
  const int64_t mr = contraction().shape.mr;
  before_.array("const void*", "left", Code(mr));
  before_.each({.type = "int", .variable = "r", .end = Code(mr)},
               code("left[r] = (const float*)args->scratch + r * {};", plan_.computed_row));
}

// The condition that the rows are not those of the previous unit; empty if they never are.
Code TileWriter::needs_rows() const {
  if (one_group()) return {};
  if (plan_.tiles.is_constant(1)) return "unit == begin";
  return plan_.rows_outside ? code("unit == begin || {} == 0", group_) : Code();
}

void TileWriter::write_computed_rows() {
  const auto& c = contraction();
  const Code needed = needs_rows();
  if (!needed.empty()) body_.open_if(needed);
  for (const Loop& tap : c.taps) name_position(tap);
  body_.open(For{.type = "int", .variable = "r", .end = "count"});
  decompose(row_text(), c.rows);
  const Code k = name_loop(c.k);
  std::vector<const ir::IndexNode*> variables;
  for (const Loop& l : c.rows) variables.push_back(l.var.node());
  variables.push_back(c.k.var.node());
  ValueEmitter e(context_, variables, variables.back(), "n");
  const Code value = e.emit(c.left_value);
  for (size_t i = 0; i + 1 < e.lines.size(); i++) body_.add(e.lines[i]);
  body_.constant("float* const", "row", "(float*)args->scratch + r * {}", plan_.computed_row);
  body_.open(Lambda{"compute", fmt::format("const vec::i64 {}, auto n", k)});
  body_.add(e.lines.back());
  body_.line("vec::st(row + {}, {}, n);", k, value);
  body_.close();
  body_.variable("vec::i64", "at", 0);
  body_.call_by_vectors(
      kK, [](const Code& at, const Code& n) { return code("compute({}, {})", at, n); }, true, kK);
  body_.close();
  if (!needed.empty()) body_.close();
}

}  // namespace cppgen::forms
