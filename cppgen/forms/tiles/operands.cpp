// The left operand of contraction tiles: the addresses of its rows, and the padding outside of it.

#include "cppgen/forms/tiles/writer.h"
#include "cppgen/schedule/engines/panels.h"

namespace cppgen::forms {

using ir::Loop;

// Declares a row of padding, which replaces rows outside of the left operand.
void TileWriter::write_padding(Expr value) {
  const auto& c = *kernel_.contraction;
  const std::string type(storage_type(info(c.format).left));
  const int64_t K = c.k.extent.constant() + moved_elements();
  if (value->kind == ir::ExprKind::constant && value->bits == 0) {
    return before_.array("alignas(64) static const " + type, "padding", Code(K), "{}");
  }
  Code text = value->kind == ir::ExprKind::constant ? literal(value->type, value)
                                                    : code("{}[{}]", context_.pointers.at(value->buffer),
                                                           index_text(view_.offset(value->buffer, value->indices)));
  before_.array("alignas(64) " + type, "padding", Code(K));
  before_.each({.variable = "i", .end = Code(K)}, code("padding[i] = {}({});", type, text));
}

void TileWriter::declare_left() {
  const auto& c = *kernel_.contraction;
  if (c.left_value) return declare_computed_rows();
  if (plan_.even_rows) {
    Code offsets;
    const IndexExpr left = view_.offset(c.left->buffer, c.left->indices);
    for (int64_t offset : schedule::offsets_of(c.taps, left, 0))
      offsets += code("{}{}", offsets.empty() ? "" : ", ", offset);
    before_.constant("static const vec::i64", "tap_offsets[]", "{{{}}}", offsets);
    return;
  }
  if (!c.left->guards.empty()) write_padding(c.left->args[0]);
  before_.array("const void*", "left", Code(left_pointers()));
  if (plan_.batch_distance != 0) {
    before_.array("const void*", "rows", Code(left_pointers()));
    if (c.tiling.skips_padding) before_.array("bool", "reached", index_text(points(c.taps)));
  }
  const rt::LeftForm form = info(c.format).form;
  if (form == rt::LeftForm::in_place) return;
  before_.array("const void*", "prepared", Code(form == rt::LeftForm::block ? 1 : left_pointers()));
  note_scratch("prepared: rows of a tile as the tiles read them");
}

void TileWriter::write_left() {
  const auto& c = *kernel_.contraction;
  if (c.left_value) return write_computed_rows();
  if (plan_.even_rows) return write_first_row();
  if (plan_.batch_distance == 0)
    write_pointers();
  else
    write_moved_pointers();
  const rt::TileFormatInfo& format = info(c.format);
  if (format.form != rt::LeftForm::in_place)
    body_.line("{}(left, count, {}, {}, args->scratch, prepared);", of_format("prepare", c.format), kTaps, kK);
}

// Verifies the indices of each row at each tap.
void TileWriter::assert_left_inside() {
  if (!options_.debug_index_asserts) return;
  const auto& c = contraction();
  body_.open(For{.type = "int", .variable = "r", .end = "count"});
  decompose(row_text(), c.rows);
  for (const Loop& t : c.taps) {
    name_scalar_loop(t);
    body_.open(loop_over(t));
  }
  assert_inside(c.left, {c.k});
  if (c.left_scales) assert_inside(c.left_scales, {});
  for (size_t i = 0; i <= c.taps.size(); i++) body_.close();
}

IndexExpr TileWriter::row_offset(Expr load) const {
  return ir::substitute(view_.offset(load->buffer, load->indices), {{contraction().k.var.node(), 0}});
}

int64_t TileWriter::left_pointers() const {
  const auto& c = contraction();
  return (points(c.taps).constant() + (c.left_scales ? 1 : 0)) * c.shape.mr;
}

void TileWriter::write_first_row() {
  const auto& c = *kernel_.contraction;
  assert_left_inside();
  ir::IndexMap at_start;
  for (const Loop& tap : c.taps) at_start[tap.var.node()] = 0;
  decompose(row0_, c.rows);
  body_.constant("const float* const", "left", "{}",
                 sum(context_.pointers.at(c.left->buffer), index_text(ir::substitute(row_offset(c.left), at_start))));
}

// The distance between the rows of the first and the last batch point, if pointers move from one to the next.
int64_t TileWriter::moved_elements() const {
  return plan_.batch_distance == 0 ? 0 : plan_.batch_distance * (points(contraction().batch).constant() - 1);
}

// left[tap * count + row]: the address of the row at the tap, or of padding outside of the operand. The addresses of
// the rows' scales follow, if there are any.
void TileWriter::write_pointers() {
  assert_left_inside();
  if (contraction().tiling.skips_padding) body_.array("bool", "reached", index_text(points(contraction().taps)), "{}");
  write_addresses("left", row_offset(contraction().left));
  write_skipped_taps();
}

// Does the same where units are batch points of the same rows: their addresses at the first batch point are kept.
void TileWriter::write_moved_pointers() {
  const auto& c = contraction();
  assert_left_inside();
  const Code batch = index_text(c.batch[0].var);
  body_.open_if(code("unit == begin || {} == 0", batch));
  if (c.tiling.skips_padding) body_.each({.variable = "tap", .end = kTaps}, "reached[tap] = false;");
  write_addresses("rows", ir::substitute(row_offset(c.left), {{c.batch[0].var.node(), 0}}));
  body_.close();
  const auto bytes = plan_.batch_distance * int64_t(size_of(info(c.format).left));
  body_.line("vec::move_pointers(left, rows, {} * count, {} * {});", kTaps, batch, bytes);
  write_skipped_taps();
}

// to[tap * count + row]: the address at this offset, or of padding; reached[tap]: whether any row at the tap is inside.
void TileWriter::write_addresses(const Code& to, IndexExpr offset) {
  const auto& c = *kernel_.contraction;
  body_.open(For{.type = "int", .variable = "r", .end = "count"});
  decompose(row_text(), c.rows);
  IndexExpr tap = 0;
  for (const auto& t : c.taps) {
    name_scalar_loop(t);
    body_.open(loop_over(t));
    tap = tap * t.extent + t.var;
  }
  Code address = sum(context_.pointers.at(c.left->buffer), index_text(offset));
  std::vector<Code> inside;
  for (const auto& g : c.left->guards) {
    if (!ir::prove_less_equal(g.lo, g.index)) inside.push_back(context_.names.at_least(g.index, g.lo));
    if (!ir::prove_less(g.index, g.hi)) inside.push_back(context_.names.less(g.index, g.hi));
  }
  if (!inside.empty()) {
    body_.constant("const bool", "inside", "{}", all_of(inside));
    address = code("inside ? {} : padding", address);
  }
  const Code first = tap.is_constant(0) || index_text(tap).is_number(0) ? 0 : code("{} * count", factor(tap));
  body_.line("{}[{}] = {};", to, sum(first, "r"), address);
  if (c.left_scales)
    body_.line("{}[count + r] = {};", to,
               sum(context_.pointers.at(c.left_scales->buffer), index_text(row_offset(c.left_scales))));
  if (c.tiling.skips_padding)
    body_.line("reached[{}] |= {};", index_text(tap), inside.empty() ? Code("true") : Code("inside"));
  for (size_t i = 0; i < c.taps.size(); i++) body_.close();
  body_.close();
}

// Taps that no row of the tile reaches have no pointers.
void TileWriter::write_skipped_taps() {
  if (!contraction().tiling.skips_padding) return;
  body_.open(For{.variable = "tap", .end = kTaps});
  body_.when("!reached[tap]", "left[tap * count] = nullptr;");
  body_.close();
}

}  // namespace cppgen::forms
