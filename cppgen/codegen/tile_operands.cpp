// The left operand of contraction tiles: the addresses of its rows, and the padding outside of it.

#include "cppgen/codegen/tile_writer.h"
#include "cppgen/schedule/engines/panels.h"

namespace cppgen::codegen {

using ir::Loop;

// Declares a row of padding, which replaces rows outside of the left operand.
void TileWriter::write_padding(Expr value) {
  const auto& c = *kernel_.contraction;
  const std::string type(storage_type(info(c.format).left));
  const int64_t depth = c.depth.extent.constant();
  if (value->kind == ir::ExprKind::constant && value->bits == 0) {
    return before_.array("alignas(64) static const " + type, "padding", Code(depth), "{}");
  }
  Code text = value->kind == ir::ExprKind::constant ? literal(value->type, value)
                                                    : code("{}[{}]", context_.pointers.at(value->buffer),
                                                           index_text(view_.offset(value->buffer, value->indices)));
  before_.array("alignas(64) " + type, "padding", Code(depth));
  before_.each({.variable = "i", .end = Code(depth)}, code("padding[i] = {}({});", type, text));
}

void TileWriter::declare_left() {
  const auto& c = *kernel_.contraction;
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
  const rt::LeftForm form = info(c.format).form;
  if (form == rt::LeftForm::in_place) return;
  before_.array("const void*", "prepared", Code(form == rt::LeftForm::block ? 1 : left_pointers()));
  note_scratch("prepared: rows of a tile as the tiles read them");
}

void TileWriter::write_left() {
  const auto& c = *kernel_.contraction;
  if (plan_.even_rows) return write_first_row();
  write_pointers();
  const rt::TileFormatInfo& format = info(c.format);
  if (format.form != rt::LeftForm::in_place)
    body_.line("{}->prepare[{}](left, count, {}, {}, args->scratch, prepared);", kRuntime, int(c.format), kTaps,
               kDepth);
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
  assert_inside(c.left, {c.depth});
  if (c.left_scales) assert_inside(c.left_scales, {});
  for (size_t i = 0; i <= c.taps.size(); i++) body_.close();
}

IndexExpr TileWriter::row_offset(Expr load) const {
  return ir::substitute(view_.offset(load->buffer, load->indices), {{contraction().depth.var.node(), 0}});
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

// left[tap * count + row]: the address of the row at the tap, or of padding outside of the operand. The addresses of
// the rows' scales follow, if there are any.
void TileWriter::write_pointers() {
  const auto& c = *kernel_.contraction;
  assert_left_inside();
  if (c.tiling.skips_padding) body_.array("bool", "reached", index_text(points(c.taps)), "{}");
  body_.open(For{.type = "int", .variable = "r", .end = "count"});
  decompose(row_text(), c.rows);
  IndexExpr tap = 0;
  for (const auto& t : c.taps) {
    name_scalar_loop(t);
    body_.open(loop_over(t));
    tap = tap * t.extent + t.var;
  }
  const auto address_of = [&](Expr load) {
    return sum(context_.pointers.at(load->buffer), index_text(row_offset(load)));
  };
  Code address = address_of(c.left);
  std::vector<Code> inside;
  for (const auto& g : c.left->guards) {
    if (!ir::prove_less_equal(g.lo, g.index)) inside.push_back(context_.names.at_least(g.index, g.lo));
    if (!ir::prove_less(g.index, g.hi)) inside.push_back(context_.names.less(g.index, g.hi));
  }
  const bool skips = c.tiling.skips_padding && !inside.empty();
  if (!inside.empty()) {
    body_.constant("const bool", "inside", "{}", all_of(inside));
    address = code("inside ? {} : padding", address);
  }
  const Code first = tap.is_constant(0) || index_text(tap).is_number(0) ? 0 : code("{} * count", factor(tap));
  body_.line("left[{}] = {};", sum(first, "r"), address);
  if (c.left_scales) body_.line("left[count + r] = {};", address_of(c.left_scales));
  if (skips) body_.line("reached[{}] |= inside;", index_text(tap));
  for (size_t i = 0; i < c.taps.size(); i++) body_.close();
  body_.close();
  if (!skips) return;
  body_.open(For{.variable = "tap", .end = kTaps});
  body_.when("!reached[tap]", "left[tap * count] = nullptr;");
  body_.close();
}

}  // namespace cppgen::codegen
