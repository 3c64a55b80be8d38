#include "cppgen/forms/tiles/writer.h"

namespace cppgen::forms {

using ir::Loop;

void TileWriter::write_body() {
  const auto& c = contraction();
  const auto size = [&](const Code& name, IndexExpr value) { before_.let(name, "{}", index_text(value)); };
  size(kTiles, plan_.tiles), size(kGroups, ir::ceildiv(plan_.panels, plan_.panels_per_unit));
  size(kColumns, c.columns.extent), size(kPanels, plan_.panels);
  size(kTaps, points(c.taps)), size(kK, c.k.extent), size(kUnitPanels, plan_.panels_per_unit);
  if (info(c.format).form == rt::LeftForm::block) {
    before_.line("{}();", of_format("begin", c.format));
    after_.line("{}();", of_format("finish", c.format));
  }
  if (c.in_registers && !plan_.end) linkage_ = "CPPGEN_TILE_KERNEL";
  if (plan_.blocks) return write_k_blocks(*plan_.blocks);
  declare_left();

  write_tile(declare_group(kTiles, plan_.tiles));
}

// The products of a tile of rows and the panels of the unit's group.
void TileWriter::write_tile(const Code& tile) {
  const auto& c = contraction();
  write_tile_place(tile);
  write_left();
  if (!plan_.end) write_epilogue();
  For panels = loop_over_panels();
  const Code panel = panels.variable;
  body_.open(std::move(panels));
  body_.constant(code("const {}* const", storage_type(info(c.format).panel)).text(), "right", "{}",
                 panel_address(panel));
  prefetch_ahead(tile);
  prefetch_rows(panel);
  write_products(panel);
  body_.close();
}

// Kernels have the same text whatever the order of their units, so that they share their function.
Code TileWriter::declare_group(const Code& tiles, IndexExpr count) {
  const bool one = count.is_constant(1);
  const Code unit = declare_batch(one ? kGroups : code("({} * {})", tiles, kGroups));
  if (one) {
    group_ = one_group() ? Code(0) : named(Code::name("group"), unit);
    return 0;
  }
  const Code all = count.is_constant() ? Code(count.constant()) : tiles;
  before_.let(kTilesTogether, "{}", plan_.rows_outside ? Code(plan_.tiles_together) : all);
  body_.constant("const vec::UnitPlace", "place", "vec::place_of_unit({}, {}, {}, {})", unit, tiles, kGroups,
                 kTilesTogether);
  group_ = "place.group";
  return "place.tile";
}

// Declares the batch point of a unit, of which a batch point has so many; returns the number of the unit among these.
Code TileWriter::declare_batch(const Code& units) {
  const auto& batch = contraction().batch;
  if (batch.empty()) return "unit";
  if (plan_.batch_inside) return declare_batch_inside();
  decompose(named(Code::name("batch"), code("unit / {}", units)), batch);
  return code("unit % {}", units);
}

// Declares the batch point of a unit; returns the number of the unit among those of its batch point.
Code TileWriter::declare_batch_inside() {
  const auto& batch = contraction().batch;
  const Code count = index_text(points(batch)), rows = Code::name("unit_of_batch");
  decompose(named(Code::name("batch"), code("unit % {}", count)), batch);
  body_.let(rows, "unit / {}", count);
  return rows;
}

// A loop over the panels of the unit's group.
For TileWriter::loop_over_panels() const {
  const Code first = times(group_, kUnitPanels);
  return {.variable = Code::name("panel"),
          .begin = first,
          .end = code("vec::imin({}, {})", kPanels, sum(first, kUnitPanels))};
}

// The address of a panel of the right operand.
Code TileWriter::panel_address(const Code& panel) const {
  const auto& c = contraction();
  if (c.right_in_place) {
    ir::IndexMap at_start{{c.columns.var.node(), 0}, {c.k.var.node(), 0}};
    for (const Loop& tap : c.taps) at_start[tap.var.node()] = 0;
    const IndexExpr first = ir::substitute(view_.offset(c.right->buffer, c.right->indices), at_start);
    return sum(context_.pointers.at(c.packed), sum(index_text(first), times(panel, c.shape.nr)));
  }
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
