#include "cppgen/forms/tiles/writer.h"

namespace cppgen::forms {

using ir::Loop;

void TileWriter::write_body() {
  const auto& c = contraction();
  const auto size = [&](const Code& name, IndexExpr value) { before_.let(name, "{}", index_text(value)); };
  size(kTiles, plan_.tiles), size(kGroups, ir::ceildiv(plan_.panels, plan_.panels_per_unit));
  size(kColumns, c.columns.extent), size(kPanels, plan_.panels);
  size(kTaps, points(c.taps)), size(kK, c.k.extent);
  if (info(c.format).form == rt::LeftForm::block) {
    before_.line("{}();", of_format("begin", c.format));
    after_.line("{}();", of_format("finish", c.format));
  }
  if (c.in_registers) linkage_ = "CPPGEN_TILE_KERNEL";
  if (plan_.blocks) return write_k_blocks(*plan_.blocks);
  declare_left();

  write_tile(declare_group(kTiles, plan_.tiles));
}

// The products of a tile of rows and the panels of the unit's group.
void TileWriter::write_tile(const Code& tile) {
  const auto& c = contraction();
  write_tile_place(tile);
  write_left();
  write_epilogue();
  For panels = loop_over_panels();
  const Code panel = plan_.panels_per_unit == 1 ? group_ : plan_.panels.is_constant(1) ? 0 : panels.variable;
  body_.open(std::move(panels));
  body_.constant(code("const {}* const", storage_type(info(c.format).panel)).text(), "right", "{}",
                 panel_address(panel));
  prefetch_ahead(tile);
  prefetch_rows(panel);
  write_products(panel);
  body_.close();
}

Code TileWriter::declare_group(const Code& tiles, IndexExpr count) {
  const auto& batch = contraction().batch;
  const bool one = count.is_constant(1), batch_outside = !batch.empty() && !plan_.batch_inside;
  const Code unit = plan_.batch_inside ? declare_batch_inside() : "unit";
  if (plan_.rows_outside) return declare_rows_outside(unit, tiles);
  // Kernels of one group of several panels have the text of several groups, so that they share their function.
  const bool no_group = one_group() && (one || batch_outside || plan_.panels.is_constant(1));
  Code tile = 0, rest = unit;
  if (no_group && !batch_outside) {
    tile = unit, rest = 0;
  } else if (!one) {
    tile = Code::name("tile");
    body_.let(tile, "{} % {}", unit, tiles);
    rest = code("{} / {}", unit, tiles);
  }
  if (no_group) {
    group_ = 0;
  } else if (!batch_outside && is_simple(rest)) {
    group_ = rest;
  } else {
    group_ = Code::name("group");
    body_.let(group_, "{}", batch_outside ? code("{} % {}", rest, kGroups) : rest);
    rest = one ? code("unit / {}", kGroups) : code("unit / ({} * {})", tiles, kGroups);
  }
  if (batch_outside) decompose(named(Code::name("batch"), rest), batch);
  return tile;
}

// Does the same where neighbouring units are the groups of one tile. There are several of both.
Code TileWriter::declare_rows_outside(const Code& unit, const Code& tiles) {
  const auto& batch = contraction().batch;
  const bool batch_outside = !batch.empty() && !plan_.batch_inside;
  const Code tile = Code::name("tile");
  group_ = Code::name("group");
  if (plan_.tiles_together == 1) {
    const Code rest = code("{} / {}", unit, kGroups);
    body_.let(group_, "{} % {}", unit, kGroups);
    body_.let(tile, "{}", batch_outside ? code("{} % {}", rest, tiles) : rest);
  } else {
    declare_tiles_together(batch_outside ? code("unit % ({} * {})", tiles, kGroups) : unit, tile);
  }
  if (batch_outside) decompose(named(Code::name("batch"), code("unit / ({} * {})", tiles, kGroups)), batch);
  return tile;
}

// Declares the batch point of a unit; returns the number of the unit among those of its batch point.
Code TileWriter::declare_batch_inside() {
  const auto& batch = contraction().batch;
  const Code count = index_text(points(batch)), rows = Code::name("unit_of_batch");
  decompose(named(Code::name("batch"), code("unit % {}", count)), batch);
  body_.let(rows, "unit / {}", count);
  return rows;
}

// Blocks of tiles of rows, the last of which may be smaller, one after the other: of a block, all tiles with the first
// group of panels, then with the next.
void TileWriter::declare_tiles_together(const Code& unit, const Code& tile) {
  const int64_t most = plan_.tiles_together;
  const Code rest = Code::name("rest"), count = Code::name("tiles_together");
  body_.let("tile0", "{} / ({} * {}) * {}", unit, most, kGroups, most);
  body_.let(rest, "{} - tile0 * {}", unit, kGroups);
  const bool even = plan_.tiles.constant() % most == 0;
  body_.let(count, "{}", even ? Code(most) : code("vec::imin({}, {} - tile0)", most, kTiles));
  body_.let(group_, "{} / {}", rest, count);
  body_.let(kTileOfBlock, "{} % {}", rest, count);
  body_.let(tile, "tile0 + {}", kTileOfBlock);
}

// A loop over the panels of the unit's group.
For TileWriter::loop_over_panels() const {
  const int64_t size = plan_.panels_per_unit;
  const Code first = times(group_, size), end = sum(first, Code(size));
  const bool whole = size == 1 || (plan_.panels.is_constant() && plan_.panels.constant() % size == 0);
  return {
      .variable = Code::name("panel"), .begin = first, .end = whole ? end : code("vec::imin({}, {})", kPanels, end)};
}

// The address of a panel of the right operand.
Code TileWriter::panel_address(const Code& panel) const {
  const auto& c = contraction();
  const Code batch = times(factor(c.packed_batch), plan_.panels.is_constant(1) ? 1 : kPanels);
  const Code number = !batch.is_number(0) && !panel.is_number(0) ? "(" + sum(batch, panel) + ")" : sum(batch, panel);
  return sum(context_.pointers.at(c.packed), times(number, factor(c.panel_elements)));
}

// The number of row `r` of the tile. Rows are consecutive, except in tiles of the columns at the border.
Code TileWriter::row_text() const { return sum(row0_, has_border() ? "r * row_step" : "r"); }

// Declares the tile's rows: row_text() for r < count.
void TileWriter::write_tile_place(const Code& tile) {
  const auto& c = *kernel_.contraction;
  if (c.tiling.height != 0) return write_line_place(tile);
  if (plan_.tiles.is_constant(1)) {
    row0_ = 0;
    return body_.constant("const int", "count", "{}", index_text(points(c.rows)));
  }
  body_.constant("const vec::Piece", "piece", "vec::even_piece({}, {}, {})", index_text(points(c.rows)), kTiles, tile);
  body_.let(row0_, "piece.begin");
  body_.constant("const int", "count", "piece.size");
}

// Tiles are equal pieces of the image lines without the border, followed by pieces of the columns at the border.
void TileWriter::write_line_place(const Code& tile) {
  const auto& c = *kernel_.contraction;
  const auto& t = c.tiling;
  const int64_t edges = t.left + t.right, inner = t.width - edges;
  const auto pieces = [&](int64_t length) { return kernel::pieces(length, c.shape.mr); };
  const IndexExpr lines = ir::floordiv(points(c.rows), t.width);
  const auto even_piece = [&](int64_t length, const Code& number) {
    return pieces(length) == 1 ? code("vec::whole_piece({})", length)
                               : code("vec::even_piece({0}, {1}, {2} % {1})", length, pieces(length), number);
  };
  const Code line = pieces(inner) == 1 ? tile : code("{} / {}", tile, pieces(inner));
  if (edges == 0) {
    body_.constant("const vec::Piece", "piece", "{}", even_piece(inner, tile));
    body_.let(row0_, "{}", sum(times(line, t.width), "piece.begin"));
  } else {
    before_.let("inner_tiles", "{}", index_text(lines * pieces(inner)));
    body_.constant("const bool", "at_edge", "{} >= inner_tiles", tile);
    const Code edge_tile = Code::name("edge_tile");
    body_.let(edge_tile, "{} - inner_tiles", tile);
    body_.let("image", "{} / {}", edge_tile, pieces(t.height) * edges);
    body_.constant("const vec::Piece", "piece", "at_edge ? {} : {}", even_piece(t.height, edge_tile),
                   even_piece(inner, tile));
    Code edge_column = Code(t.left == 1 ? 0 : inner);
    if (edges > 1) {
      const Code line_of_edge = pieces(t.height) == 1 ? edge_tile : code("{} / {}", edge_tile, pieces(t.height));
      body_.let("edge", "{} % {}", line_of_edge, edges);
      edge_column = "edge_column";
      body_.let(edge_column, "edge < {0} ? edge : edge + {1}", t.left, inner);
    }
    body_.let(row0_, "at_edge ? {} : {} + piece.begin",
              sum(code("(image * {} + piece.begin) * {}", t.height, t.width), edge_column),
              sum(times(line, t.width), Code(t.left)));
    body_.let("row_step", "at_edge ? {} : 1", t.width);
  }
  body_.constant("const int", "count", "piece.size");
}

KernelText TilesPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return TileWriter(view, *this, options).write(plan);
}

}  // namespace cppgen::forms
