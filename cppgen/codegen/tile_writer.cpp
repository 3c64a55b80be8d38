// Contractions on the tile engine: rows x columns blocks over packed panels of the right operand, either by a
// register-blocked function of the runtime - what follows the contraction then runs on the block while it is in L1 - or
// by one in the kernel, with the epilogue on its registers.
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
  const auto fitting = [&](int64_t bytes) { return std::max<int64_t>(1, target_.l2_bytes / 2 / bytes); };
  if (const rt::DepthBlocks blocks = depth_blocks(); blocks.count > 1)
    fit = fitting(blocks.panel_bytes);
  else if (c.panel_elements.is_constant())
    fit = fitting(int64_t(size_of(info(c.format).panel)) * c.panel_elements.constant());
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
  IndexExpr tiles = tile_count(), groups = ir::ceildiv(panels, group);
  text_.range = tiles * groups * batch;
  text_.unit_work = taps * c.depth.extent * (mr * group * nr / 8);

  before_.line("const vec::i64 tiles = {}, groups = {};", index_text(tiles), index_text(groups));
  before_.line("const vec::i64 columns = {}, panels = {};", index_text(c.columns.extent), index_text(panels));
  before_.line("const vec::i64 taps = {}, depth = {};", index_text(taps), index_text(c.depth.extent));
  if (info(c.format).form == rt::LeftForm::block) {
    before_.line("rt->begin[{}]();", int(c.format));
    after_.line("rt->finish[{}]();", int(c.format));
  }
  if (depth_blocks().count > 1) return write_depth_blocks(group);
  declare_left();

  body_.line("const vec::i64 tile = unit % tiles, group = unit / tiles % groups, batch = unit / (tiles * groups);");
  decompose(body_, "batch", c.batch);
  if (c.batch.empty()) body_.line("(void)batch;");
  write_tile_place();
  write_left();
  write_epilogue();
  body_.open("for (vec::i64 panel = group * {0}; panel < vec::imin(panels, group * {0} + {0}); panel++)", group);
  body_.line("const {}* const right = {} + (({}) * panels + panel) * ({});", storage_type(info(c.format).panel),
             context_.pointers.at(c.packed), index_text(c.packed_batch), index_text(c.panel_elements));
  write_products();
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

KernelText emit_kernel(const schedule::Schedule& schedule, const schedule::FusedKernel& kernel,
                       const schedule::Target& target, const Options& options) {
  if (kernel.kind == schedule::KernelKind::attention) return AttentionWriter(schedule, kernel, target, options).write();
  if (kernel.kind == schedule::KernelKind::contraction) return TileWriter(schedule, kernel, target, options).write();
  return LoopsWriter(schedule, kernel, target, options).write();
}

}  // namespace cppgen::codegen
