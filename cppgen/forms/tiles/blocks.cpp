// Contractions on matrix tiles, or with weights of few bits that are unpacked: a unit is some tiles of rows and a group
// of panels. K may be multiplied in blocks, whose sums are in scratch memory until the last one. Each block of a panel
// is read or unpacked once for all tiles of rows, and each block of rows is prepared once for all panels.
#include "cppgen/forms/tiles/writer.h"
#include "runtime/contraction/tiles_ahead.h"

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
  write_all_blocks(blocks);
  if (may_be_few) body_.close();
}

void TileWriter::declare_blocks(const TilesPlan::Blocks& blocks) {
  const auto& c = contraction();
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr, tiles = blocks.tiles;
  const rt::LeftForm form = info(c.format).form;
  if (!c.left->guards.empty()) write_padding(c.left->args[0]);
  before_.array("const void*", "lefts", Code(tiles * taps * mr));
  if (form != rt::LeftForm::in_place && taps == 1 && blocks.k_blocks.count > 1)
    before_.array("const void*", "block_lefts", Code(tiles * mr));
  before_.array("const void*", "prepared", Code(form == rt::LeftForm::block ? tiles : tiles * mr));
  before_.array("int", "counts", Code(tiles));
  if (form != rt::LeftForm::in_place) note_scratch("prepared: rows of the unit as the tiles read them");
  if (blocks.weight_bytes > 0) note_scratch("weights: a block of a panel as float32");
  if (blocks.k_blocks.count > 1) note_scratch("sums: [panel][tile][row][column]");
}

// The pointers to the rows of a tile as tiles read them.
Code TileWriter::prepared_tile() const {
  const bool one = info(contraction().format).form == rt::LeftForm::block;
  return one ? code("prepared + (tile - tile0)") : code("prepared + (tile - tile0) * {}", contraction().shape.mr);
}

void TileWriter::open_tiles() { body_.open(For{.variable = "tile", .begin = "tile0", .end = "tile_end"}); }
void TileWriter::open_panels() { body_.open(For{.variable = "panel", .begin = "panel0", .end = "panel_end"}); }

void TileWriter::write_all_pointers() {
  const auto& c = *kernel_.contraction;
  open_tiles();
  write_tile_place("tile");
  body_.constant("const void** const", "left", "lefts + (tile - tile0) * {}", points(c.taps).constant() * c.shape.mr);
  write_pointers();
  body_.line("counts[tile - tile0] = count;");
  body_.close();
}

void TileWriter::write_all_blocks(const TilesPlan::Blocks& plan) {
  const auto& c = contraction();
  const rt::KBlocks& blocks = plan.k_blocks;
  const int64_t taps = points(c.taps).constant(), tiles = plan.tiles;
  const std::string sum(storage_type(info(c.format).sum));
  const int64_t prepared = tiles * plan.prepared_bytes;
  if (plan.weight_bytes > 0) body_.constant("float* const", "weights", "(float*)(args->scratch + {})", prepared);
  if (blocks.count > 1)
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

// The products of a block of a panel and all tiles of rows, and what is computed of their sums.
void TileWriter::write_panel_block(const TilesPlan::Blocks& plan) {
  const auto& c = contraction();
  const bool unpacks = plan.weight_bytes > 0, one = plan.k_blocks.count == 1;
  const int64_t mr = c.shape.mr, nr = c.shape.nr, first = unpacks ? mr : 0;
  const Code tiles = of_format("tiles", c.format);
  const std::string sum(storage_type(info(c.format).sum));
  if (unpacks)
    body_.line("{}[0](nullptr, block * {}, block_k, {}, weights, {}, 0);", tiles, plan.k_blocks.k,
               panel_address("panel"), nr);
  else
    body_.constant(fmt::format("const {}* const", storage_type(info(c.format).panel)), "right", "{} + block * {}",
                   panel_address("panel"), plan.k_blocks.panel_bytes);
  open_tiles();
  if (one) body_.array("alignas(64) " + sum, "sums", Code(plan_.block_rows(mr) * nr));
  body_.constant(
      sum + "* const", "to", "{}",
      one ? Code("sums")
          : code("sums + ((panel - panel0) * {} + tile - tile0) * {}", plan.tiles, plan_.block_rows(mr) * nr));
  body_.constant("const int", "function", "counts[tile - tile0] + (block == 0 ? {} : {})", first, first + mr);
  body_.line("{}[function]({}, block_taps, block_k, {}, to, {}, {});", tiles, prepared_tile(),
             unpacks ? "weights" : "right", nr, unpacks ? Code(0) : panel_part_ahead(plan));
  if (!one) body_.open_if(code("block + 1 == {}", plan.k_blocks.count));
  write_tile_place("tile");
  write_epilogue();
  write_columns("panel");
  write_finish("to");
  if (!one) body_.close();
  body_.close();
}

// Returns what a tile prefetches: its part of the same block of the next panel (tiles.h).
Code TileWriter::panel_part_ahead(const TilesPlan::Blocks& plan) const {
  const auto& c = contraction();
  const int64_t panel = c.panel_elements.constant(), of_step = rt::lines_of_step(c.format);
  const int64_t block = plan.k_blocks.count > 1 ? plan.k_blocks.panel_bytes : panel;
  const int64_t products = rt::products_of_parts(info(c.format)), steps = block / (of_step * rt::kLineBytes);
  const int64_t lines = pieces(of_step, products * plan.tiles);
  const Code tile = plan.tiles == 1 ? Code(0) : Code("(tile - tile0)");
  return sum(times(tile, steps * products * lines * rt::kLineBytes), panel + lines);
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

// Prepares one block of the rows for the tiles, which may read the pointers to the rows, too.
void TileWriter::write_block_rows(const TilesPlan::Blocks& plan) {
  const auto& c = *kernel_.contraction;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr;
  open_tiles();
  body_.constant("const int", "count", "counts[tile - tile0]");
  const Code whole = code("lefts + (tile - tile0) * {}", taps * mr);
  if (plan.k_blocks.count == 1) {
    body_.constant("const void* const* const", "left", "{}", whole);
  } else if (taps == 1) {
    body_.constant("const void* const* const", "whole", "{}", whole);
    body_.constant("const void** const", "left", "block_lefts + (tile - tile0) * {}", mr);
    body_.each({.type = "int", .variable = "r", .end = "count"},
               code("left[r] = (const {}*)whole[r] + block * {};", storage_type(info(c.format).left), plan.k_blocks.k));
  } else {
    body_.constant("const void* const* const", "left", "{} + block * {} * count", whole, plan.k_blocks.taps);
  }
  body_.constant("char* const", "place", "args->scratch + (tile - tile0) * {}", plan.prepared_bytes);
  body_.line("{}(left, count, block_taps, block_k, place, {});", of_format("prepare", c.format), prepared_tile());
  body_.close();
}

}  // namespace cppgen::forms
