// The left operand of contraction tiles: where its rows lie, and what stands for those outside of it.

#include "cppgen/codegen/tile_writer.h"
#include "cppgen/schedule/engines/panels.h"

namespace cppgen::codegen {

using ir::Loop;

// A row of what stands outside of the left operand.
void TileWriter::write_padding(Expr value) {
  const auto& c = *kernel_.contraction;
  const std::string type(storage_type(info(c.format).left));
  const int64_t depth = c.depth.extent.constant();
  if (value->kind == ir::ExprKind::constant && value->bits == 0) {
    before_.line("alignas(64) static const {} padding[{}] = {{}};", type, depth);
    return;
  }
  Code text = value->kind == ir::ExprKind::constant ? literal(value->type, value)
                                                    : code("{}[{}]", context_.pointers.at(value->buffer),
                                                           index_text(view_.offset(value->buffer, value->indices)));
  before_.line("alignas(64) {} padding[{}];", type, depth);
  before_.line("for (vec::i64 i = 0; i < {}; i++) padding[i] = {}({});", depth, type, text);
}

void TileWriter::declare_left() {
  const auto& c = *kernel_.contraction;
  if (plan_.even_rows) {
    Code offsets;
    const IndexExpr left = view_.offset(c.left->buffer, c.left->indices);
    for (int64_t offset : schedule::offsets_of(c.taps, left, 0))
      offsets += code("{}{}", offsets.empty() ? "" : ", ", offset);
    before_.line("static const vec::i64 tap_offsets[] = {{{}}};", offsets);
    return;
  }
  if (!c.left->guards.empty()) write_padding(c.left->args[0]);
  before_.line("const void* left[{}];", points(c.taps).constant() * c.shape.mr);
  const rt::LeftForm form = info(c.format).form;
  if (form != rt::LeftForm::in_place)
    before_.line("const void* prepared[{}];", form == rt::LeftForm::block ? 1 : points(c.taps).constant() * c.shape.mr);
}

void TileWriter::write_left() {
  const auto& c = *kernel_.contraction;
  if (plan_.even_rows) return write_first_row();
  write_pointers();
  const rt::TileFormatInfo& format = info(c.format);
  if (format.form != rt::LeftForm::in_place)
    body_.line("{}->prepare[{}](left, count, taps, depth, args->scratch, prepared);", kRuntime, int(c.format));
}

IndexExpr TileWriter::left_offset() const {
  const auto& c = *kernel_.contraction;
  return ir::substitute(view_.offset(c.left->buffer, c.left->indices), {{c.depth.var.node(), 0}});
}

void TileWriter::write_first_row() {
  const auto& c = *kernel_.contraction;
  ir::IndexMap at_start;
  for (const Loop& tap : c.taps) at_start[tap.var.node()] = 0;
  decompose("row0", c.rows);
  body_.line("const float* const left = {};",
             at(context_.pointers.at(c.left->buffer), index_text(ir::substitute(left_offset(), at_start))));
}

// left[tap * count + row]: where each row's depth begins at each tap; padding outside the operand.
void TileWriter::write_pointers() {
  const auto& c = *kernel_.contraction;
  if (c.tiling.skips_padding) body_.line("bool reached[{}] = {{}};", points(c.taps).constant());
  body_.open("for (int r = 0; r < count; r++)");
  decompose(code("({})", row_text()), c.rows);
  IndexExpr tap = 0;
  for (const auto& t : c.taps) {
    Code name = name_loop(t);
    body_.open("for (vec::i64 {0} = 0; {0} < {1}; {0}++)", name, index_text(t.extent));
    tap = tap * t.extent + t.var;
  }
  Code address = at(context_.pointers.at(c.left->buffer), index_text(left_offset()));
  Code inside;
  for (const auto& g : c.left->guards) {
    Code index = index_text(g.index);
    if (!ir::prove_less_equal(g.lo, g.index))
      inside += code("{}{} >= {}", inside.empty() ? "" : " && ", index, index_text(g.lo));
    if (!ir::prove_less(g.index, g.hi))
      inside += code("{}{} < {}", inside.empty() ? "" : " && ", index, index_text(g.hi));
  }
  const bool skips = c.tiling.skips_padding && !inside.empty();
  if (!inside.empty()) {
    body_.line("const bool inside = {};", inside);
    address = code("inside ? {} : padding", address);
  }
  body_.line("left[{}r] = {};", tap.is_constant(0) ? Code() : code("{} * count + ", factor(tap)), address);
  if (skips) body_.line("reached[{}] |= inside;", index_text(tap));
  for (size_t i = 0; i < c.taps.size(); i++) body_.close();
  body_.close();
  if (!skips) return;
  body_.line("for (vec::i64 tap = 0; tap < taps; tap++)");
  body_.line("  if (!reached[tap]) left[tap * count] = nullptr;");
}

}  // namespace cppgen::codegen
