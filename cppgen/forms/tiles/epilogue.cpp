// The products of contraction tiles, and the epilogue.

#include <algorithm>

#include "cppgen/forms/tiles/writer.h"
#include "runtime/contraction/tiles_ahead.h"

namespace cppgen::forms {

using ir::Loop;

// Returns whether the position in one of the loops is that of a row.
static bool is_one_loop(const std::vector<Loop>& rows) {
  return std::count_if(rows.begin(), rows.end(), [](const Loop& l) { return !l.extent.is_constant(1); }) <= 1;
}

// epilogue(r)(column, lanes, sum): the stores of one vector of a tile's row.
void TileWriter::write_epilogue() {
  const auto& c = *kernel_.contraction;
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  const std::string_view sum_type = lane_type(info(c.format).sum);
  const Code column = name_loop(c.columns);
  write_row_places(rows);
  if (finishes_columns()) return write_column_epilogue(column);
  const ValueEmitter e = contraction_epilogue(EpilogueOrder::rows);
  body_.add(e.lines[0]);
  body_.open(Lambda{kEpilogue, "const vec::i64 r"});
  name_row(rows);
  for (size_t i = 1; i <= rows.size(); i++) body_.add(e.lines[i]);
  body_.open(Lambda{{}, fmt::format("const vec::i64 {}, auto n, const vec::V<{}> sum", column, sum_type)});
  body_.add(e.lines.back());
  if (!plan_.transposed) prefetch_epilogue();
  body_.close();
  body_.close();
  if (plan_.transposed) write_transposed_epilogue();
}

// Integer sums are in memory, from where they are read column by column.
bool TileWriter::finishes_columns() const { return info(contraction().format).sum == DType::i32 && !plan_.transposed; }

// epilogue(column, lanes)(r, sum): the same stores. What depends on the column alone, such as scales, is read once for
// all rows.
void TileWriter::write_column_epilogue(const Code& column) {
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  const ValueEmitter e = contraction_epilogue(EpilogueOrder::columns);
  const size_t of_sums = rows.empty() ? 1 : 2;  // the product of a vector has no loop of rows
  body_.add(e.lines[0]);
  body_.open(Lambda{kEpilogue, fmt::format("const vec::i64 {}, auto n", column)});
  for (size_t i = 1; i < of_sums; i++) body_.add(e.lines[i]);
  body_.open(Lambda{{}, "const vec::i64 r, const vec::V<vec::i32> sum"});
  name_row(rows);
  for (size_t i = of_sums; i < e.lines.size(); i++) body_.add(e.lines[i]);
  body_.close();
  body_.close();
}

// transposed_epilogue(column)(r, lanes, sum): the stores of one vector of a tile's column, for tiles with consecutive
// rows.
void TileWriter::write_transposed_epilogue() {
  const auto& c = *kernel_.contraction;
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  const Code column = index_text(c.columns.var), row = index_text(rows.back().var);
  const size_t around = rows.size() - 1;
  if (around > 0) {
    const bool at_start = row0_.is_number(0);
    const Code extent = factor(rows.back().extent);
    body_.let("row_within", "{}", at_start ? row0_ : code("{} % {}", row0_, extent));
    const Code row_around = named(Code::name("row_around"), at_start ? row0_ : code("{} / {}", row0_, extent));
    decompose(row_around, {rows.begin(), rows.end() - 1});
  }
  std::vector<const ir::IndexNode*> variables;
  for (const Loop& l : rows) variables.push_back(l.var.node());
  variables.insert(variables.end() - 1, c.columns.var.node());
  ValueEmitter e(context_, variables, variables.back(), "n");
  e.bind_accumulator(0, "sum", int(variables.size()));
  e.store(kernel_.segments[0].stores);
  body_.add(e.lines[0]);
  for (size_t i = 1; i <= around; i++) body_.add(e.lines[i]);
  body_.open(Lambda{"transposed_epilogue", fmt::format("const vec::i64 {}", column)});
  body_.add(e.lines[around + 1]);
  body_.open(Lambda{{}, fmt::format("const vec::i64 r, auto n, const vec::V<{}> sum", lane_type(info(c.format).sum))});
  if (!rows.back().extent.is_constant(1)) body_.let(row, "{}", sum(around > 0 ? "row_within" : row0_, "r"));
  body_.add(e.lines.back());
  prefetch_epilogue();
  body_.close();
  body_.close();
}

// Names the coordinates of row r.
void TileWriter::name_row(const std::vector<Loop>& rows) {
  for (size_t i = 0; i < rows.size(); i++)
    if (!rows[i].extent.is_constant(1))
      body_.let(index_text(rows[i].var), "{}", is_one_loop(rows) ? row_text() : code("at{}[r]", i));
}

// Names the coordinates of a tile's rows; with several loops of rows, fills a table.
void TileWriter::write_row_places(const std::vector<Loop>& rows) {
  if (is_one_loop(rows)) {
    for (const Loop& l : rows) name_position(l);
    return;
  }
  const auto varies = [&](size_t i) { return !rows[i].extent.is_constant(1); };
  for (size_t i = 0; i < rows.size(); i++)
    if (varies(i)) body_.array("vec::i64", code("at{}", i), Code(kernel_.contraction->shape.mr));
  body_.open(For{.type = "int", .variable = "r", .end = "count"});
  decompose(row_text(), rows);
  for (size_t i = 0; i < rows.size(); i++)
    if (varies(i)) body_.line("at{}[r] = {};", i, index_text(rows[i].var));
  body_.close();
}

// Declares the first column and the number of columns of the panel.
void TileWriter::write_columns(const Code& panel) {
  const auto& c = *kernel_.contraction;
  body_.let("column0", "{}", times(panel, c.shape.nr));
  if (plan_.width)
    body_.constant("constexpr vec::i64", kTileColumns, "{}", *plan_.width);
  else
    body_.let(kTileColumns, "vec::imin({} - column0, {})", kColumns, c.shape.nr);
}

void TileWriter::write_products(const Code& panel) {
  if (plan_.end) return write_finished_product(panel);
  write_columns(panel);
  if (contraction().in_registers)
    write_row_counts(0);
  else
    write_called_product();
}

// The product for each planned number of rows, from entry `first` on, in registers; for other numbers, a call.
void TileWriter::write_row_counts(size_t first) {
  const auto& width = plan_.width;
  const int64_t nr = contraction().shape.nr;
  if (first == plan_.row_counts.size()) {
    if (plan_.row_counts_are_all && width) return body_.line("__builtin_unreachable();");
    return write_called_product();
  }
  const int64_t rows = plan_.row_counts[first];
  body_.open_if(code("count == {}{}", rows, width ? Code() : code(" && {} == {}", kTileColumns, nr)));
  write_register_product(rows, width.value_or(nr));
  body_.otherwise();
  write_row_counts(first + 1);
  body_.close();
}

// The distance between evenly spaced rows, in elements.
Code TileWriter::row_distance() const {
  if (plan_.computed_row != 0) return Code(plan_.computed_row);
  const auto& c = contraction();
  return index_text(*ir::stride_of(row_offset(c.left), c.rows.back().var.node()));
}

Code TileWriter::even_rows() const { return code("vec::even_rows(left, {}, tap_offsets)", row_distance()); }

void TileWriter::write_register_product(int64_t rows, int64_t width) {
  const auto& c = *kernel_.contraction;
  const Code left = plan_.even_rows ? even_rows() : Code("left");
  const Code right = c.right_in_place ? code("vec::MatrixPanel{{right, {}}}", right_distance()) : Code("right");
  body_.line("vec::tile<{}, {}, {}>({}, {}, {}, {}, column0, {}, {}{}{});", rows, c.shape.nr / view_.target.lanes,
             width, left, kTaps, kK, right, kEpilogue, ahead_, rows_ahead_.empty() ? "" : ", ", rows_ahead_);
}

void TileWriter::write_called_product() {
  const auto& c = *kernel_.contraction;
  const rt::TileFormatInfo& format = info(c.format);
  const std::string block = fmt::format("alignas(64) {}", storage_type(format.sum));
  body_.array(block, "block", Code(plan_.block_rows(c.shape.mr) * c.shape.nr));
  const char* operand = format.form == rt::LeftForm::in_place ? "left" : "prepared";
  if (plan_.even_rows) {
    body_.array("const void*", "rows", Code(points(c.taps).constant() * c.shape.mr));
    body_.line("vec::row_pointers({}, count, {}, rows);", even_rows(), kTaps);
    operand = "rows";
  }
  const rt::TileFormat functions = c.right_in_place ? rt::TileFormat::f32_matrix : c.format;
  const Code last = c.right_in_place ? sum(Code(right_distance() * rt::kMatrixPlace), kTileColumns) : ahead_;
  body_.line("{}[count]({}, {}, {}, right, block, {}, {});", of_format("tiles", functions), operand, kTaps, kK,
             c.shape.nr, last);
  write_finish("block");
}

// The distance between the rows of a right operand in place.
int64_t TileWriter::right_distance() const {
  const auto& c = contraction();
  return ir::stride_of(view_.offset(c.right->buffer, c.right->indices), c.k.var.node())->constant();
}

// Computes what follows of the sums of a tile and a panel.
void TileWriter::write_finish(const Code& block) {
  const auto& c = *kernel_.contraction;
  const int64_t side = plan_.transposed_side;
  const Code in_rows =
      code("vec::{}({}, {}, count, column0, {}, {});", finishes_columns() ? "finish_columns" : "finish_block", block,
           c.shape.nr, kTileColumns, kEpilogue);
  if (!plan_.transposed) return body_.text(in_rows);
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  std::vector<Code> follow_each_other;
  if (has_border()) follow_each_other.push_back("row_step == 1");
  if (rows.size() > 1) follow_each_other.push_back(code("row_within + count <= {}", index_text(rows.back().extent)));
  body_.open_if(follow_each_other.empty() ? true : all_of(follow_each_other));
  body_.array(fmt::format("alignas(64) {}", storage_type(info(c.format).sum)), "transposed", Code(c.shape.nr * side));
  body_.line("vec::finish_transposed({}, {}, transposed, {}, count, column0, {}, transposed_epilogue);", block,
             c.shape.nr, side, kTileColumns);
  body_.otherwise();
  body_.text(in_rows);
  body_.close();
}

}  // namespace cppgen::forms
