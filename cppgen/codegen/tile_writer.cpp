#include "cppgen/codegen/tile_writer.h"

namespace cppgen::codegen {

using ir::Loop;

void TileWriter::write_body() {
  const auto& c = contraction();
  const int64_t group = plan_.panels_per_unit;
  const IndexExpr groups = ir::ceildiv(plan_.panels, group), taps = points(c.taps);
  before_.line("const vec::i64 tiles = {}, groups = {};", index_text(plan_.tiles), index_text(groups));
  before_.line("const vec::i64 columns = {}, panels = {};", index_text(c.columns.extent), index_text(plan_.panels));
  before_.line("const vec::i64 taps = {}, depth = {};", index_text(taps), index_text(c.depth.extent));
  if (info(c.format).form == rt::LeftForm::block) {
    before_.line("{}->begin[{}]();", kRuntime, int(c.format));
    after_.line("{}->finish[{}]();", kRuntime, int(c.format));
  }
  if (plan_.blocks) return write_depth_blocks(*plan_.blocks);
  declare_left();

  body_.line("const vec::i64 tile = unit % tiles;");
  declare_group("tiles");
  decompose("batch", c.batch);
  write_tile_place();
  write_left();
  write_epilogue();
  const Code first = group == 1 ? "group" : code("group * {}", group);
  body_.open("for (vec::i64 panel = {0}; panel < vec::imin(panels, {0} + {1}); panel++)", first, group);
  body_.line("const {}* const right = {};", storage_type(info(c.format).panel), panel_address());
  write_products();
  body_.close();
}

// The group of panels, and the point of the batch, of a unit; `tiles` is how many units share them.
void TileWriter::declare_group(const char* tiles) {
  if (contraction().batch.empty()) return body_.line("const vec::i64 group = unit / {};", tiles);
  body_.line("const vec::i64 group = unit / {0} % groups, batch = unit / ({0} * groups);", tiles);
}

// The panel of the right operand.
Code TileWriter::panel_address() const {
  const auto& c = contraction();
  const bool one_batch = c.packed_batch.is_constant(0);
  const Code panel = one_batch ? "panel" : code("({} * panels + panel)", factor(c.packed_batch));
  return code("{} + {} * {}", context_.pointers.at(c.packed), panel, factor(c.panel_elements));
}

// A row of the tile: they stand one after the other, but for those of the border's columns.
Code TileWriter::row_text() const { return has_border() ? "row0 + r * row_step" : "row0 + r"; }

// Declares the tile's rows: row_text() for r < count.
void TileWriter::write_tile_place() {
  const auto& c = *kernel_.contraction;
  if (c.tiling.height != 0) return write_line_place();
  body_.line("const vec::Piece piece = vec::even_piece({}, tiles, tile);", index_text(points(c.rows)));
  body_.line("const vec::i64 row0 = piece.begin;");
  body_.line("const int count = piece.size;");
}

// Even pieces of image rows without the border; behind them, of the border's columns.
void TileWriter::write_line_place() {
  const auto& c = *kernel_.contraction;
  const auto& t = c.tiling;
  const int64_t edges = t.left + t.right, inner = t.width - edges;
  const auto pieces = [&](int64_t length) { return kernel::pieces(length, c.shape.mr); };
  const IndexExpr lines = ir::floordiv(points(c.rows), t.width);
  const auto even_piece = [&](int64_t length, const Code& number) {
    return code("vec::even_piece({}, {}, {})", length, pieces(length), number);
  };
  if (edges == 0) {
    body_.line("const vec::Piece piece = {};", even_piece(inner, code("tile % {}", pieces(inner))));
    body_.line("const vec::i64 row0 = tile / {} * {} + piece.begin;", pieces(inner), t.width);
  } else {
    before_.line("const vec::i64 inner_tiles = {};", index_text(lines * pieces(inner)));
    body_.line("const bool at_edge = tile >= inner_tiles;");
    body_.line("const vec::i64 edge = (tile - inner_tiles) / {} % {}, image = (tile - inner_tiles) / {};",
               pieces(t.height), edges, pieces(t.height) * edges);
    body_.line("const vec::Piece piece = at_edge ? {} : {};",
               even_piece(t.height, code("(tile - inner_tiles) % {}", pieces(t.height))),
               even_piece(inner, code("tile % {}", pieces(inner))));
    body_.line("const vec::i64 edge_column = edge < {} ? edge : edge + {};", t.left, inner);
    body_.line("const vec::i64 row0 = at_edge ? (image * {} + piece.begin) * {} + edge_column", t.height, t.width);
    body_.line("                              : tile / {} * {} + {} + piece.begin;", pieces(inner), t.width, t.left);
    body_.line("const vec::i64 row_step = at_edge ? {} : 1;", t.width);
  }
  body_.line("const int count = piece.size;");
}

}  // namespace cppgen::codegen
