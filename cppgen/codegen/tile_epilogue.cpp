// The products of contraction tiles, and what follows them.

#include "cppgen/codegen/tile_writer.h"

namespace cppgen::codegen {

using ir::Loop;

// epilogue(r)(column, lanes, sum): the stores of one vector of a tile's row.
void TileWriter::write_epilogue() {
  const auto& c = *kernel_.contraction;
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  const Code column = name_loop(c.columns);
  write_row_places(rows);
  std::vector<const ir::IndexNode*> variables;
  for (const Loop& l : rows) variables.push_back(l.var.node());
  variables.push_back(c.columns.var.node());
  ValueEmitter e(context_, variables, c.columns.var.node(), "n");
  e.align_lanes(view_.target.lanes);
  e.bind_accumulator(0, "sum", int(variables.size()));
  e.store(kernel_.segments[0].stores);
  body_.add(e.lines[0]);
  body_.open("const auto epilogue = [&](const vec::i64 r) CPPGEN_LAMBDA");
  for (size_t i = 0; i < rows.size(); i++)
    body_.line("const vec::i64 {} = {};", index_text(rows[i].var), rows.size() == 1 ? row_text() : code("at{}[r]", i));
  for (size_t i = 1; i <= rows.size(); i++) body_.add(e.lines[i]);
  body_.open("return [=](const vec::i64 {}, auto n, const vec::V<{}> sum) CPPGEN_LAMBDA", column,
             lane_type(info(c.format).sum));
  body_.add(e.lines.back());
  body_.close("};");
  body_.close("};");
  if (plan_.turned) write_turned_epilogue();
}

// turned_epilogue(column)(r, lanes, sum): the stores of one vector of a tile's column, where its rows follow each
// other.
void TileWriter::write_turned_epilogue() {
  const auto& c = *kernel_.contraction;
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  const Code column = index_text(c.columns.var), row = index_text(rows.back().var);
  const size_t around = rows.size() - 1;
  if (around > 0) {
    body_.line("const vec::i64 row_within = row0 % ({0}), row_around = row0 / ({0});", index_text(rows.back().extent));
    decompose("row_around", {rows.begin(), rows.end() - 1});
  }
  std::vector<const ir::IndexNode*> variables;
  for (const Loop& l : rows) variables.push_back(l.var.node());
  variables.insert(variables.end() - 1, c.columns.var.node());
  ValueEmitter e(context_, variables, variables.back(), "n");
  e.bind_accumulator(0, "sum", int(variables.size()));
  e.store(kernel_.segments[0].stores);
  body_.add(e.lines[0]);
  for (size_t i = 1; i <= around; i++) body_.add(e.lines[i]);
  body_.open("const auto turned_epilogue = [&](const vec::i64 {}) CPPGEN_LAMBDA", column);
  body_.add(e.lines[around + 1]);
  body_.open("return [=](const vec::i64 r, auto n, const vec::V<{}> sum) CPPGEN_LAMBDA", lane_type(info(c.format).sum));
  body_.line("const vec::i64 {} = {} + r;", row, around > 0 ? "row_within" : "row0");
  body_.add(e.lines.back());
  body_.close("};");
  body_.close("};");
}

// Coordinates of a tile's rows: names for them, and a table where there are several.
void TileWriter::write_row_places(const std::vector<Loop>& rows) {
  if (rows.size() == 1) {
    name_loop(rows[0]);
    return;
  }
  for (size_t i = 0; i < rows.size(); i++) body_.line("vec::i64 at{}[{}];", i, kernel_.contraction->shape.mr);
  body_.open("for (int r = 0; r < count; r++)");
  decompose(code("({})", row_text()), rows);
  for (size_t i = 0; i < rows.size(); i++) body_.line("at{}[r] = {};", i, index_text(rows[i].var));
  body_.close();
}

// Columns of the panel that exist.
void TileWriter::write_columns() {
  const auto& c = *kernel_.contraction;
  body_.line("const vec::i64 column0 = panel * {};", c.shape.nr);
  if (plan_.width)
    body_.line("constexpr vec::i64 tile_columns = {};", *plan_.width);
  else
    body_.line("const vec::i64 tile_columns = vec::imin(columns - column0, {});", c.shape.nr);
}

void TileWriter::write_products() {
  const auto& c = *kernel_.contraction;
  const auto& width = plan_.width;
  write_columns();
  if (!c.in_registers) return write_called_product();
  for (const int64_t rows : plan_.row_counts) {
    body_.open("if (count == {}{})", rows, width ? "" : code(" && tile_columns == {}", c.shape.nr));
    write_register_product(rows, width.value_or(c.shape.nr));
    body_.close("} else");
  }
  body_.open("");
  if (plan_.row_counts_are_all && width)
    body_.line("__builtin_unreachable();");
  else
    write_called_product();
  body_.close();
}

Code TileWriter::even_rows() const {
  const IndexExpr distance = *ir::stride_of(left_offset(), kernel_.contraction->rows.back().var.node());
  return code("vec::EvenRows{{left, {}, tap_offsets}}", index_text(distance));
}

void TileWriter::write_register_product(int64_t rows, int64_t width) {
  const auto& c = *kernel_.contraction;
  const Code left = plan_.even_rows ? even_rows() : code("vec::ScatteredRows<{}>{{left}}", rows);
  body_.line("vec::tile<{}, {}, {}>({}, taps, depth, right, column0, epilogue);", rows, c.shape.nr / view_.target.lanes,
             width, left);
}

void TileWriter::write_called_product() {
  const auto& c = *kernel_.contraction;
  const rt::TileFormatInfo& format = info(c.format);
  body_.line("alignas(64) {} block[{}];", storage_type(format.sum), c.shape.mr * c.shape.nr);
  const char* operand = format.form == rt::LeftForm::in_place ? "left" : "prepared";
  if (plan_.even_rows) {
    body_.line("const void* rows[{}];", points(c.taps).constant() * c.shape.mr);
    body_.line("vec::row_pointers({}, count, taps, rows);", even_rows());
    operand = "rows";
  }
  body_.line("{}->tiles[{}][count]({}, taps, depth, right, block, {});", kRuntime, int(c.format), operand, c.shape.nr);
  const Code in_rows = code("vec::finish_block(block, {}, count, column0, tile_columns, epilogue);", c.shape.nr);
  if (!plan_.turned) return body_.text(in_rows);
  const int64_t side = plan_.turned_side;
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  Code follow_each_other = has_border() ? "row_step == 1" : "";
  if (rows.size() > 1)
    follow_each_other += code("{}row_within + count <= {}", has_border() ? " && " : "", index_text(rows.back().extent));
  const bool always = follow_each_other.empty();
  if (!always) body_.open("if ({})", follow_each_other);
  body_.line("alignas(64) {} turned[{}];", storage_type(format.sum), c.shape.nr * side);
  body_.line("vec::finish_turned(block, {}, turned, {}, count, column0, tile_columns, turned_epilogue);", c.shape.nr,
             side);
  if (always) return;
  body_.close("} else");
  body_.open("");
  body_.text(in_rows);
  body_.close();
}

}  // namespace cppgen::codegen
