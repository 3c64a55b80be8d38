// Contractions whose K is multiplied in blocks, on matrix tiles or with weights of few bits: a unit is some tiles
// of rows and a group of panels, and its sums are in scratch memory. Each block of a panel is read or unpacked once for
// all tiles of rows, and each block of rows is prepared once for all panels.

#include "cppgen/forms/tiles/writer.h"

namespace cppgen::forms {

void TileWriter::write_k_blocks(const TilesPlan::Blocks& blocks) {
  const int64_t tiles = blocks.tiles, group = plan_.panels_per_unit;
  declare_blocks(blocks);
  const Code tile_groups = Code::name("tile_groups");
  const IndexExpr groups_of_tiles = ir::ceildiv(plan_.tiles, tiles);
  before_.let(tile_groups, "{}", index_text(groups_of_tiles));
  body_.let("tile0", "{}", times(operand(declare_group(tile_groups, groups_of_tiles)), tiles));
  body_.let("tile_end", "vec::imin({}, tile0 + {})", kTiles, tiles);
  body_.let("panel0", "{}", times(group_, group));
  body_.let("panel_end", "vec::imin({}, panel0 + {})", kPanels, group);
  const bool may_be_few = blocks.least_tiles > 0 && !plan_.tiles.is_constant();
  if (may_be_few) {
    before_.array("const void*", "left", Code(contraction().shape.mr));
    body_.open_if(code("{} < {}", kTiles, blocks.least_tiles));
    open_tiles();
    write_tile("tile");
    body_.close();
    body_.otherwise();
  }
  write_all_pointers();
  write_block_sums(blocks);
  write_block_epilogues(tiles);
  if (may_be_few) body_.close();
}

void TileWriter::declare_blocks(const TilesPlan::Blocks& blocks) {
  const auto& c = contraction();
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr, tiles = blocks.tiles;
  const rt::LeftForm form = info(c.format).form;
  if (!c.left->guards.empty()) write_padding(c.left->args[0]);
  before_.array("const void*", "lefts", Code(tiles * taps * mr));
  before_.array("const void*", "prepared", Code(form == rt::LeftForm::block ? tiles : tiles * mr));
  before_.array("int", "counts", Code(tiles));
  if (form != rt::LeftForm::in_place) note_scratch("prepared: rows of the unit as the tiles read them");
  if (blocks.weight_bytes > 0) note_scratch("weights: a block of a panel as float32");
  note_scratch("sums: [panel][tile][row][column]");
}

// The pointers to the rows of a tile as tiles read them.
Code TileWriter::prepared_tile() const {
  const bool one = info(contraction().format).form == rt::LeftForm::block;
  return one ? code("prepared + (tile - tile0)") : code("prepared + (tile - tile0) * {}", contraction().shape.mr);
}

void TileWriter::open_tiles() { body_.open(For{.variable = "tile", .begin = "tile0", .end = "tile_end"}); }
void TileWriter::open_panels() { body_.open(For{.variable = "panel", .begin = "panel0", .end = "panel_end"}); }

// Declares `name`, a pointer to the sums of a panel and a tile of rows.
void TileWriter::write_sums_place(const char* name, int64_t tiles) {
  const auto& c = *kernel_.contraction;
  body_.constant(fmt::format("{}* const", storage_type(info(c.format).sum)), name,
                 "sums + ((panel - panel0) * {} + tile - tile0) * {}", tiles, c.shape.mr * c.shape.nr);
}

void TileWriter::write_all_pointers() {
  const auto& c = *kernel_.contraction;
  open_tiles();
  write_tile_place("tile");
  body_.constant("const void** const", "left", "lefts + (tile - tile0) * {}", points(c.taps).constant() * c.shape.mr);
  write_pointers();
  body_.line("counts[tile - tile0] = count;");
  body_.close();
}

void TileWriter::write_block_sums(const TilesPlan::Blocks& plan) {
  const auto& c = contraction();
  const rt::KBlocks& blocks = plan.k_blocks;
  const int64_t taps = points(c.taps).constant(), tiles = plan.tiles;
  const std::string sum(storage_type(info(c.format).sum));
  const int64_t prepared = tiles * plan.prepared_bytes;
  if (plan.weight_bytes > 0) body_.constant("float* const", "weights", "(float*)(args->scratch + {})", prepared);
  body_.constant(sum + "* const", "sums", "({}*)(args->scratch + {})", sum, prepared + plan.weight_bytes);
  body_.open(For{.variable = "block", .end = Code(blocks.count)});
  body_.let("block_taps", "{}", taps == 1 ? 1 : code("vec::imin({0}, {1} - block * {0})", blocks.taps, kTaps));
  body_.let("block_k", "{}", taps == 1 ? code("vec::imin({0}, {1} - block * {0})", blocks.k, kK) : kK);
  if (info(c.format).form == rt::LeftForm::in_place)
    write_block_pointers(plan);
  else
    write_block_rows(plan);
  open_panels();
  write_panel_block(plan);
  body_.close(), body_.close();
}

// The products of a block of a panel and all tiles of rows.
void TileWriter::write_panel_block(const TilesPlan::Blocks& plan) {
  const auto& c = contraction();
  const bool unpacks = plan.weight_bytes > 0;
  const int64_t mr = c.shape.mr, nr = c.shape.nr, first = unpacks ? mr : 0;
  if (unpacks)
    body_.line("{}[0](nullptr, block * {}, block_k, {}, weights, {}, 0);", of_format("tiles", c.format),
               plan.k_blocks.k, panel_address("panel"), nr);
  else
    body_.constant(fmt::format("const {}* const", storage_type(info(c.format).panel)), "right", "{} + block * {}",
                   panel_address("panel"), plan.k_blocks.panel_bytes);
  open_tiles();
  write_sums_place("to", plan.tiles);
  body_.constant("const int", "function", "counts[tile - tile0] + (block == 0 ? {} : {})", first, first + mr);
  body_.line("{}[function]({}, block_taps, block_k, {}, to, {}, 0);", of_format("tiles", c.format), prepared_tile(),
             unpacks ? "weights" : "right", nr);
  body_.close();
}

// The rows of one block in place.
void TileWriter::write_block_pointers(const TilesPlan::Blocks& plan) {
  const auto& c = contraction();
  open_tiles();
  body_.constant("const void* const* const", "whole", "lefts + (tile - tile0) * {}", c.shape.mr);
  body_.constant("const void** const", "left", "{}", prepared_tile());
  body_.each({.type = "int", .variable = "r", .end = "counts[tile - tile0]"},
             code("left[r] = (const {}*)whole[r] + block * {};", storage_type(info(c.format).left), plan.k_blocks.k));
  body_.close();
}

// Prepares one block of the rows for the tiles.
void TileWriter::write_block_rows(const TilesPlan::Blocks& plan) {
  const auto& c = *kernel_.contraction;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr;
  open_tiles();
  body_.constant("const int", "count", "counts[tile - tile0]");
  const Code left = code("lefts + (tile - tile0) * {}", taps * mr);
  if (taps == 1) {
    body_.constant("const void* const* const", "whole", "{}", left);
    body_.array("const void*", "left", Code(mr));
    body_.each({.type = "int", .variable = "r", .end = "count"},
               code("left[r] = (const {}*)whole[r] + block * {};", storage_type(info(c.format).left), plan.k_blocks.k));
  } else {
    body_.constant("const void* const* const", "left", "{} + block * {} * count", left, plan.k_blocks.taps);
  }
  body_.constant("char* const", "place", "args->scratch + (tile - tile0) * {}", plan.prepared_bytes);
  body_.line("{}(left, count, block_taps, block_k, place, {});", of_format("prepare", c.format), prepared_tile());
  body_.close();
}

void TileWriter::write_block_epilogues(int64_t tiles) {
  open_tiles();
  write_tile_place("tile");
  write_epilogue();
  open_panels();
  write_columns("panel");
  write_sums_place("block", tiles);
  body_.line("vec::finish_block(block, {}, count, column0, {}, {});", kernel_.contraction->shape.nr, kTileColumns,
             kEpilogue);
  body_.close(), body_.close();
}

}  // namespace cppgen::forms
