// The products of contraction tiles, and what follows them.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/kernel_writer.h"

namespace cppgen::codegen {

using ir::Loop;

// epilogue(r)(column, lanes, sum): the stores of one vector of a tile's row.
void TileWriter::write_epilogue() {
  const auto& c = *kernel_.contraction;
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  const std::string column = name_loop(c.columns);
  write_row_places(rows);
  std::vector<const ir::IndexNode*> variables;
  for (const Loop& l : rows) variables.push_back(l.var.node());
  variables.push_back(c.columns.var.node());
  ValueEmitter e(context_, variables, c.columns.var.node(), "n");
  e.align_lanes(target_.lanes);
  e.bind_accumulator(0, "sum", int(variables.size()));
  e.store(kernel_.segments[0].stores);
  add_lines(e.lines[0]);
  body_.open("const auto epilogue = [&](const vec::i64 r) CPPGEN_LAMBDA");
  for (size_t i = 0; i < rows.size(); i++)
    body_.line("const vec::i64 {} = {};", index_text(rows[i].var),
               rows.size() == 1 ? "row0 + r * row_step" : fmt::format("at{}[r]", i));
  for (size_t i = 1; i <= rows.size(); i++) add_lines(e.lines[i]);
  body_.open("return [=](const vec::i64 {}, auto n, const vec::V<{}> sum) CPPGEN_LAMBDA", column,
             lane_type(info(c.format).sum));
  add_lines(e.lines.back());
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
  decompose(body_, "(row0 + r * row_step)", rows);
  for (size_t i = 0; i < rows.size(); i++) body_.line("at{}[r] = {};", i, index_text(rows[i].var));
  body_.close();
}

// How many rows the tiles have, or most of them where that is not known.
TileWriter::Counts TileWriter::row_counts() const {
  const auto& c = *kernel_.contraction;
  const IndexExpr rows = points(c.rows);
  std::vector<int64_t> counts;
  const auto add_pieces_of = [&](int64_t length) {
    const int64_t pieces = std::max<int64_t>((length + c.shape.mr - 1) / c.shape.mr, 1);
    for (int64_t n : {(length + pieces - 1) / pieces, length / pieces})
      if (n > 0 && std::find(counts.begin(), counts.end(), n) == counts.end()) counts.push_back(n);
  };
  if (c.tiling.height != 0)
    add_pieces_of(c.tiling.width - c.tiling.left - c.tiling.right);
  else if (rows.is_constant())
    add_pieces_of(rows.constant());
  else
    return {{c.shape.mr, c.shape.mr - 1}, false};
  const std::vector<int64_t> inner = counts;
  if (c.tiling.left + c.tiling.right != 0) add_pieces_of(c.tiling.height);
  return {inner, inner == counts};
}

void TileWriter::write_products() {
  const auto& c = *kernel_.contraction;
  const bool even = ir::mod(c.columns.extent, c.shape.nr).is_constant(0);
  body_.line("const vec::i64 column0 = panel * {};", c.shape.nr);
  if (even)
    body_.line("const vec::i64 tile_columns = {};", c.shape.nr);
  else
    body_.line("const vec::i64 tile_columns = vec::imin(columns - column0, {});", c.shape.nr);
  if (!c.in_registers) return write_called_product();
  const Counts counts = row_counts();
  for (const int64_t rows : counts.usual) {
    if (rows == counts.usual.back() && counts.all)
      body_.open("");
    else
      body_.open("if (count == {})", rows);
    write_register_product(rows);
    body_.close(rows == counts.usual.back() && counts.all ? "}" : "} else");
  }
  if (counts.all) return;
  body_.open("");
  write_called_product();
  body_.close();
}

void TileWriter::write_register_product(int64_t rows) {
  const auto& c = *kernel_.contraction;
  std::string left = fmt::format("vec::ScatteredRows<{}>{{left}}", rows);
  if (rows_are_even()) {
    const IndexExpr distance = *ir::stride_of(left_offset(), c.rows.back().var.node());
    left = fmt::format("vec::EvenRows{{left, {}, tap_offsets}}", index_text(distance));
  }
  body_.line("vec::tile<{}, {}>({}, taps, depth, right, column0, tile_columns, epilogue);", rows,
             c.shape.nr / target_.lanes, left);
}

void TileWriter::write_called_product() {
  const auto& c = *kernel_.contraction;
  const rt::TileFormatInfo& format = info(c.format);
  body_.line("alignas(64) {} block[{} * {}];", storage_type(format.sum), c.shape.mr, c.shape.nr);
  body_.line("rt->tiles[{}][count]({}, taps, depth, right, block, {});", int(c.format),
             format.form == rt::LeftForm::in_place ? "left" : "prepared", c.shape.nr);
  body_.line("vec::finish_block(block, {}, count, column0, tile_columns, epilogue);", c.shape.nr);
}

}  // namespace cppgen::codegen
