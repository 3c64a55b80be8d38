// Contractions whose depth is multiplied in blocks, on matrix tiles: a unit is some tiles of rows and a group of
// panels, whose sums lie in scratch. Each block of a panel is read once for all tiles of rows, each block of rows
// prepared once for all panels.

#include "cppgen/codegen/tile_writer.h"

namespace cppgen::codegen {

void TileWriter::write_depth_blocks(const kernel::TilesPlan::Blocks& blocks) {
  const auto& c = contraction();
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr, tiles = blocks.tiles, group = plan_.panels_per_unit;
  if (!c.left->guards.empty()) write_padding(c.left->args[0]);
  before_.line("const vec::i64 tile_groups = {};", index_text(ir::ceildiv(plan_.tiles, tiles)));
  before_.line("const void* lefts[{}];", tiles * taps * mr);
  before_.line("const void* prepared[{}];", tiles);
  before_.line("int counts[{}];", tiles);

  declare_group("tile_groups");
  body_.line("const vec::i64 tile0 = unit % tile_groups * {0}, tile_end = vec::imin(tiles, tile0 + {0});", tiles);
  body_.line("const vec::i64 panel0 = group * {0}, panel_end = vec::imin(panels, panel0 + {0});", group);
  decompose("batch", c.batch);
  write_all_pointers();
  write_block_sums(blocks);
  write_block_epilogues(tiles);
}

void TileWriter::open_tiles() { body_.open("for (vec::i64 tile = tile0; tile < tile_end; tile++)"); }
void TileWriter::open_panels() { body_.open("for (vec::i64 panel = panel0; panel < panel_end; panel++)"); }

// `name`: where the sums of a panel and a tile of rows lie.
void TileWriter::write_sums_place(const char* name, int64_t tiles) {
  const auto& c = *kernel_.contraction;
  body_.line("{}* const {} = sums + ((panel - panel0) * {} + (tile - tile0)) * {};", storage_type(info(c.format).sum),
             name, tiles, c.shape.mr * c.shape.nr);
}

void TileWriter::write_all_pointers() {
  const auto& c = *kernel_.contraction;
  open_tiles();
  write_tile_place();
  body_.line("const void** const left = lefts + (tile - tile0) * {};", points(c.taps).constant() * c.shape.mr);
  write_pointers();
  body_.line("counts[tile - tile0] = count;");
  body_.close();
}

void TileWriter::write_block_sums(const kernel::TilesPlan::Blocks& plan) {
  const auto& c = contraction();
  const rt::DepthBlocks& blocks = plan.depth;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr, nr = c.shape.nr, tiles = plan.tiles;
  const std::string sum(storage_type(info(c.format).sum));
  body_.line("{0}* const sums = ({0}*)(args->scratch + {1});", sum, tiles * plan.prepared_bytes);
  body_.open("for (vec::i64 block = 0; block < {}; block++)", blocks.count);
  body_.line("const vec::i64 block_taps = {};",
             taps == 1 ? "1" : code("vec::imin({0}, taps - block * {0})", blocks.taps));
  body_.line("const vec::i64 block_depth = {};",
             taps == 1 ? code("vec::imin({0}, depth - block * {0})", blocks.depth) : "depth");
  write_block_rows(plan);
  open_panels();
  body_.line("const {}* const right = {} + block * {};", storage_type(info(c.format).panel), panel_address(),
             blocks.panel_bytes);
  open_tiles();
  write_sums_place("to", tiles);
  body_.line("const int function = counts[tile - tile0] + (block == 0 ? 0 : {});", mr);
  body_.line("{}->tiles[{}][function](prepared + (tile - tile0), block_taps, block_depth, right, to, {});", kRuntime,
             int(c.format), nr);
  body_.close(), body_.close(), body_.close();
}

// What tiles read of one block of the rows.
void TileWriter::write_block_rows(const kernel::TilesPlan::Blocks& plan) {
  const auto& c = *kernel_.contraction;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr;
  open_tiles();
  body_.line("const int count = counts[tile - tile0];");
  body_.line("const void* const* left = lefts + (tile - tile0) * {};", taps * mr);
  if (taps == 1) {
    body_.line("const void* part[{}];", mr);
    body_.line("for (int r = 0; r < count; r++) part[r] = (const {}*)left[r] + block * {};",
               storage_type(info(c.format).left), plan.depth.depth);
    body_.line("left = part;");
  } else {
    body_.line("left += block * {} * count;", plan.depth.taps);
  }
  body_.line("char* const place = args->scratch + (tile - tile0) * {};", plan.prepared_bytes);
  body_.line("{}->prepare[{}](left, count, block_taps, block_depth, place, prepared + (tile - tile0));", kRuntime,
             int(c.format));
  body_.close();
}

void TileWriter::write_block_epilogues(int64_t tiles) {
  open_tiles();
  write_tile_place();
  write_epilogue();
  open_panels();
  write_columns();
  write_sums_place("block", tiles);
  body_.line("vec::finish_block(block, {}, count, column0, tile_columns, epilogue);", kernel_.contraction->shape.nr);
  body_.close(), body_.close();
}

}  // namespace cppgen::codegen
