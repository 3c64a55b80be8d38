// The left operand of contraction tiles: where its rows lie, and what stands for those outside of it.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/schedule/engines/panels.h"
#include "runtime/base/errors.h"

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
  std::string text = value->kind == ir::ExprKind::constant
                         ? literal(value->type, value)
                         : fmt::format("{}[{}]", context_.pointers.at(value->buffer),
                                       index_text(context_.offset(value->buffer, value->indices)));
  before_.line("alignas(64) {} padding[{}];", type, depth);
  before_.line("for (vec::i64 i = 0; i < {}; i++) padding[i] = {}({});", depth, type, text);
}

// Scratch for what the format makes of the left operand.
void TileWriter::declare_prepared() {
  const auto& c = *kernel_.contraction;
  const rt::TileFormatInfo& format = info(c.format);
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr;
  before_.line("const void* prepared[{}];", format.form == rt::LeftForm::block ? 1 : taps * mr);
  if (c.depth.extent.is_constant()) {
    text_.scratch_bytes = rt::prepared_bytes(c.format, mr, taps, c.depth.extent.constant());
    return;
  }
  check(format.form == rt::LeftForm::rows, "tiles: a block of unknown depth");
  constexpr int64_t kLine = 64;
  const IndexExpr lines = ir::ceildiv(c.depth.extent * int64_t(size_of(rt::prepared_type(c.format))), kLine) + 1;
  text_.scratch_bytes = lines * (kLine * taps * mr);
}

void TileWriter::declare_left() {
  const auto& c = *kernel_.contraction;
  if (rows_are_even()) {
    std::string offsets;
    const IndexExpr left = context_.offset(c.left->buffer, c.left->indices);
    for (int64_t offset : schedule::offsets_of(c.taps, left, 0))
      offsets += fmt::format("{}{}", offsets.empty() ? "" : ", ", offset);
    before_.line("static const vec::i64 tap_offsets[] = {{{}}};", offsets);
    return;
  }
  if (!c.left->guards.empty()) write_padding(c.left->args[0]);
  before_.line("const void* left[{} * {}];", points(c.taps).constant(), c.shape.mr);
  if (info(c.format).form != rt::LeftForm::in_place) declare_prepared();
}

// Whether the rows of every tile lie at one distance, the same for each tap, and tiles in the kernel read them so.
bool TileWriter::rows_are_even() const {
  const auto& c = *kernel_.contraction;
  if (!c.in_registers || !c.left->guards.empty()) return false;
  const bool within_lines = c.tiling.height != 0 && c.tiling.left + c.tiling.right == 0;
  if (c.rows.size() != 1 && !within_lines) return false;
  const IndexExpr offset = context_.offset(c.left->buffer, c.left->indices);
  const auto has_constant_stride = [&](const Loop& l) {
    const auto stride = ir::stride_of(offset, l.var.node());
    return stride && stride->is_constant();
  };
  return has_constant_stride(c.rows.back()) && std::all_of(c.taps.begin(), c.taps.end(), has_constant_stride);
}

void TileWriter::write_left() {
  const auto& c = *kernel_.contraction;
  if (rows_are_even()) return write_first_row();
  write_pointers();
  const rt::TileFormatInfo& format = info(c.format);
  if (format.form != rt::LeftForm::in_place)
    body_.line("rt->prepare[{}](left, count, taps, depth, args->scratch, prepared);", int(c.format));
}

IndexExpr TileWriter::left_offset() const {
  const auto& c = *kernel_.contraction;
  return ir::substitute(context_.offset(c.left->buffer, c.left->indices), {{c.depth.var.node(), 0}});
}

void TileWriter::write_first_row() {
  const auto& c = *kernel_.contraction;
  ir::IndexMap at_start;
  for (const Loop& tap : c.taps) at_start[tap.var.node()] = 0;
  decompose(body_, "row0", c.rows);
  body_.line("const float* const left = {} + {};", context_.pointers.at(c.left->buffer),
             index_text(ir::substitute(left_offset(), at_start)));
}

// left[tap * count + row]: where each row's depth begins at each tap; padding outside the operand.
void TileWriter::write_pointers() {
  const auto& c = *kernel_.contraction;
  if (c.tiling.skips_padding) body_.line("bool reached[{}] = {{}};", points(c.taps).constant());
  body_.open("for (int r = 0; r < count; r++)");
  decompose(body_, "(row0 + r * row_step)", c.rows);
  std::string tap = "0";
  for (const auto& t : c.taps) {
    std::string name = name_loop(t);
    body_.open("for (vec::i64 {0} = 0; {0} < {1}; {0}++)", name, index_text(t.extent));
    tap = tap == "0" ? name : fmt::format("({}) * ({}) + {}", tap, index_text(t.extent), name);
  }
  std::string address = fmt::format("{} + {}", context_.pointers.at(c.left->buffer), index_text(left_offset()));
  std::string inside;
  for (const auto& g : c.left->guards) {
    std::string index = index_text(g.index);
    if (!ir::prove_less_equal(g.lo, g.index))
      inside += fmt::format("{}{} >= {}", inside.empty() ? "" : " && ", index, index_text(g.lo));
    if (!ir::prove_less(g.index, g.hi))
      inside += fmt::format("{}{} < {}", inside.empty() ? "" : " && ", index, index_text(g.hi));
  }
  const bool skips = c.tiling.skips_padding && !inside.empty();
  if (!inside.empty()) {
    body_.line("const bool inside = {};", inside);
    address = fmt::format("inside ? {} : padding", address);
  }
  body_.line("left[({}) * count + r] = {};", tap, address);
  if (skips) body_.line("reached[{}] |= inside;", tap);
  for (size_t i = 0; i < c.taps.size(); i++) body_.close();
  body_.close();
  if (!skips) return;
  body_.line("for (vec::i64 tap = 0; tap < taps; tap++)");
  body_.line("  if (!reached[tap]) left[tap * count] = nullptr;");
}

}  // namespace cppgen::codegen
