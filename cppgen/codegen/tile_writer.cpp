// Contractions on the tile engine: rows x columns blocks by a register-blocked function of the runtime, over packed
// panels of the right operand; what follows the contraction runs on the block while it is in L1.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/attention_writer.h"
#include "cppgen/codegen/loops_writer.h"
#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::Loop;

// As many panels as stay in half of L2 while all rows pass over them, yet enough units for many threads. Sums do not
// depend on it.
int64_t TileWriter::panels_per_unit() const {
  const auto& c = *kernel_.contraction;
  IndexExpr panels = ir::ceildiv(c.columns.extent, c.shape.nr);
  int64_t most = panels.is_constant() ? panels.constant() : 8;
  int64_t fit = most;
  if (c.panel_elements.is_constant())
    fit = std::max<int64_t>(
        1, target_.l2_bytes / 2 / (int64_t(size_of(info(c.format).panel)) * c.panel_elements.constant()));
  int64_t group = std::min(most, fit);
  const int64_t row_tiles = constant_or(tile_count(), 8);
  constexpr int64_t kUnits = 16;
  if (row_tiles < kUnits) group = std::min(group, std::max<int64_t>(1, most * row_tiles / kUnits));
  // Rows are prepared once per unit: that should cost a small part of its time.
  constexpr int64_t kPreparedPanels = 8;
  if (info(c.format).form != rt::LeftForm::in_place) group = std::max(group, std::min(most, kPreparedPanels));
  return std::max<int64_t>(group, 1);
}

void TileWriter::write_body() {
  const auto& c = *kernel_.contraction;
  IndexExpr batch = points(c.batch), taps = points(c.taps);
  IndexExpr panels = ir::ceildiv(c.columns.extent, c.shape.nr);
  int64_t group = panels_per_unit(), mr = c.shape.mr, nr = c.shape.nr;
  const rt::TileFormatInfo& format = info(c.format);
  IndexExpr tiles = tile_count(), groups = ir::ceildiv(panels, group);
  text_.range = tiles * groups * batch;
  text_.unit_work = taps * c.depth.extent * (mr * group * nr / 8);

  before_.line("const vec::i64 tiles = {}, groups = {};", index_text(tiles), index_text(groups));
  before_.line("const vec::i64 columns = {}, panels = {};", index_text(c.columns.extent), index_text(panels));
  before_.line("const vec::i64 taps = {}, depth = {};", index_text(taps), index_text(c.depth.extent));
  if (!c.left->guards.empty()) write_padding(c.left->args[0]);
  before_.line("alignas(64) {} block[{} * {}];", storage_type(format.sum), mr, nr);
  before_.line("const void* left[{} * {}];", taps.constant(), mr);
  before_.line("const int {} = {};", format.name, int(c.format));
  declare_prepared();

  body_.line("const vec::i64 tile = unit % tiles, group = unit / tiles % groups, batch = unit / (tiles * groups);");
  decompose(body_, "batch", c.batch);
  if (c.batch.empty()) body_.line("(void)batch;");
  write_tile_place();
  write_pointers(c.rows);
  const char* operand = "left";
  if (format.form != rt::LeftForm::in_place) {
    body_.line("rt->prepare[{}](left, count, taps, depth, args->scratch, prepared);", format.name);
    operand = "prepared";
  }
  body_.open("for (vec::i64 panel = group * {0}; panel < vec::imin(panels, group * {0} + {0}); panel++)", group);
  body_.line("const {}* const right = {} + (({}) * panels + panel) * ({});", storage_type(format.panel),
             context_.pointers.at(c.packed), index_text(c.packed_batch), index_text(c.panel_elements));
  body_.line("rt->tiles[{}][count]({}, taps, depth, right, block, {});", format.name, operand, nr);
  write_epilogue(c.rows);
  body_.close();
}

IndexExpr TileWriter::tile_count() const {
  const auto& c = *kernel_.contraction;
  const auto& t = c.tiling;
  const auto pieces = [&](int64_t length) { return (length + c.shape.mr - 1) / c.shape.mr; };
  const IndexExpr rows = points(c.rows);
  if (t.height == 0) return ir::ceildiv(rows, c.shape.mr);
  return ir::floordiv(rows, t.height * t.width) *
         (t.height * pieces(t.width - t.left - t.right) + (t.left + t.right) * pieces(t.height));
}

// Declares the tile's rows: row0 + r * row_step for r < count.
void TileWriter::write_tile_place() {
  const auto& c = *kernel_.contraction;
  if (c.tiling.height != 0) return write_line_place();
  body_.line("const vec::Piece piece = vec::even_piece({}, tiles, tile);", index_text(points(c.rows)));
  body_.line("const vec::i64 row0 = piece.begin, row_step = 1;");
  body_.line("const int count = piece.size;");
}

// Even pieces of image rows without the border; behind them, of the border's columns.
void TileWriter::write_line_place() {
  const auto& c = *kernel_.contraction;
  const auto& t = c.tiling;
  const int64_t edges = t.left + t.right, inner = t.width - edges;
  const auto pieces = [&](int64_t length) { return (length + c.shape.mr - 1) / c.shape.mr; };
  const IndexExpr lines = ir::floordiv(points(c.rows), t.width);
  const auto even_piece = [&](int64_t length, const std::string& number) {
    return fmt::format("vec::even_piece({}, {}, {})", length, pieces(length), number);
  };
  if (edges == 0) {
    body_.line("const vec::Piece piece = {};", even_piece(inner, fmt::format("tile % {}", pieces(inner))));
    body_.line("const vec::i64 row0 = tile / {} * {} + piece.begin, row_step = 1;", pieces(inner), t.width);
  } else {
    before_.line("const vec::i64 inner_tiles = {};", index_text(lines * pieces(inner)));
    body_.line("const bool at_edge = tile >= inner_tiles;");
    body_.line("const vec::i64 edge = (tile - inner_tiles) / {} % {}, image = (tile - inner_tiles) / {};",
               pieces(t.height), edges, pieces(t.height) * edges);
    body_.line("const vec::Piece piece = at_edge ? {} : {};",
               even_piece(t.height, fmt::format("(tile - inner_tiles) % {}", pieces(t.height))),
               even_piece(inner, fmt::format("tile % {}", pieces(inner))));
    body_.line("const vec::i64 edge_column = edge < {} ? edge : edge + {};", t.left, inner);
    body_.line("const vec::i64 row0 = at_edge ? (image * {} + piece.begin) * {} + edge_column", t.height, t.width);
    body_.line("                              : tile / {} * {} + {} + piece.begin;", pieces(inner), t.width, t.left);
    body_.line("const vec::i64 row_step = at_edge ? {} : 1;", t.width);
  }
  body_.line("const int count = piece.size;");
}

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
  if (format.form == rt::LeftForm::in_place) return;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr;
  before_.line("const void* prepared[{}];", format.form == rt::LeftForm::block ? 1 : taps * mr);
  if (c.depth.extent.is_constant()) {
    text_.scratch_bytes = rt::prepared_bytes(c.format, mr, taps, c.depth.extent.constant());
    return;
  }
  check(format.form == rt::LeftForm::rows, "tiles: a block of unknown depth");
  constexpr int64_t kLine = 64;
  const IndexExpr lines = ir::ceildiv(c.depth.extent * int64_t(size_of(format.panel)), kLine) + 1;
  text_.scratch_bytes = lines * (kLine * taps * mr);
}

// left[tap * count + row]: where each row's depth begins at each tap; padding outside the operand. Row coordinates are
// kept for the epilogue.
void TileWriter::write_pointers(const std::vector<Loop>& rows) {
  const auto& c = *kernel_.contraction;
  for (size_t i = 0; i < rows.size(); i++) body_.line("vec::i64 at{}[{}];", i, c.shape.mr);
  if (c.tiling.skips_padding) body_.line("bool reached[{}] = {{}};", points(c.taps).constant());
  body_.open("for (int r = 0; r < count; r++)");
  decompose(body_, "(row0 + r * row_step)", rows);
  for (size_t i = 0; i < rows.size(); i++) body_.line("at{}[r] = {};", i, index_text(rows[i].var));
  std::string tap = "0";
  for (const auto& t : c.taps) {
    std::string name = name_loop(t);
    body_.open("for (vec::i64 {0} = 0; {0} < {1}; {0}++)", name, index_text(t.extent));
    tap = tap == "0" ? name : fmt::format("({}) * ({}) + {}", tap, index_text(t.extent), name);
  }
  ir::IndexMap at_start{{c.depth.var.node(), 0}};
  IndexExpr offset = ir::substitute(context_.offset(c.left->buffer, c.left->indices), at_start);
  std::string address = fmt::format("{} + {}", context_.pointers.at(c.left->buffer), index_text(offset));
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

void TileWriter::write_epilogue(const std::vector<Loop>& rows) {
  const auto& c = *kernel_.contraction;
  std::string column = name_loop(c.columns);
  std::vector<const ir::IndexNode*> variables;
  for (const auto& l : rows) variables.push_back(l.var.node());
  size_t row_levels = variables.size();
  variables.push_back(c.columns.var.node());
  ValueEmitter e(context_, variables, c.columns.var.node(), "n");
  e.align_lanes(target_.lanes);
  e.bind_accumulator(0, fmt::format("vec::load(block + r * {0} + ({1} - panel * {0}))", c.shape.nr, column),
                     int(variables.size()));
  e.store(kernel_.segments[0].stores);
  add_lines(e.lines[0]);
  body_.open("for (int r = 0; r < count; r++)");
  for (size_t i = 0; i < rows.size(); i++) body_.line("const vec::i64 {} = at{}[r];", index_text(rows[i].var), i);
  for (size_t i = 1; i <= row_levels; i++) add_lines(e.lines[i]);
  body_.open("auto body = [&](const vec::i64 {}, auto n) CPPGEN_LAMBDA", column);
  add_lines(e.lines.back());
  body_.close("};");
  body_.line("const vec::i64 stop = vec::imin(columns, panel * {0} + {0});", c.shape.nr);
  body_.line("vec::i64 at = panel * {};", c.shape.nr);
  body_.line("for (; at + vec::L <= stop; at += vec::L) body(at, vec::All{{}});");
  body_.line("if (at < stop) body(at, vec::Tail{{int(stop - at)}});");
  body_.close();
}

KernelText emit_kernel(const schedule::Schedule& schedule, const schedule::FusedKernel& kernel,
                       const schedule::Target& target, const Options& options) {
  if (kernel.kind == schedule::KernelKind::attention) return AttentionWriter(schedule, kernel, target, options).write();
  if (kernel.kind == schedule::KernelKind::contraction) return TileWriter(schedule, kernel, target, options).write();
  return LoopsWriter(schedule, kernel, target, options).write();
}

}  // namespace cppgen::codegen
