// Contractions whose depth is multiplied in blocks, on matrix tiles: a unit is some tiles of rows and a group of
// panels, whose sums lie in scratch. Each block of a panel is read once for all tiles of rows, each block of rows
// prepared once for all panels.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/codegen/loops_writer.h"
#include "runtime/base/errors.h"

namespace cppgen::codegen {
namespace {

constexpr int64_t kMostTiles = 8, kUnits = 16;
constexpr int64_t kMostPointerBytes = 64 << 10;  // of rows, on the stack

}  // namespace

rt::DepthBlocks TileWriter::depth_blocks() const {
  const auto& c = *kernel_.contraction;
  if (info(c.format).form != rt::LeftForm::block) return {1, 0, 0, 0};
  return rt::depth_blocks(c.format, points(c.taps).constant(), c.depth.extent.constant());
}

// As many as stay, prepared, in a quarter of L2, yet enough units for many threads.
int64_t TileWriter::tiles_per_unit(int64_t panels) const {
  const auto& c = *kernel_.contraction;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr;
  const int64_t bytes = rt::prepared_bytes(c.format, mr, taps, c.depth.extent.constant());
  const int64_t all_panels = (c.columns.extent.constant() + c.shape.nr - 1) / c.shape.nr;
  const int64_t units = constant_or(tile_count(), kUnits) * ((all_panels + panels - 1) / panels);
  const int64_t most = std::min(target_.l2_bytes / 4 / bytes, kMostPointerBytes / (taps * mr * 8));
  return std::max<int64_t>(1, std::min({kMostTiles, most, units / kUnits}));
}

void TileWriter::write_depth_blocks(int64_t group) {
  const auto& c = *kernel_.contraction;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr;
  const int64_t tiles = tiles_per_unit(group);
  check(c.tiling.left + c.tiling.right == 0, "tiles: blocks of the depth and tiles of the border");
  text_.range = ir::ceildiv(tile_count(), tiles) * ir::ceildiv(ir::ceildiv(c.columns.extent, c.shape.nr), group) *
                points(c.batch);
  text_.unit_work = taps * c.depth.extent * (tiles * mr * group * c.shape.nr / 8);
  if (!c.left->guards.empty()) write_padding(c.left->args[0]);
  before_.line("const vec::i64 tile_groups = {};", index_text(ir::ceildiv(tile_count(), tiles)));
  before_.line("const void* lefts[{} * {}];", tiles, taps * mr);
  before_.line("const void* prepared[{}];", tiles);
  before_.line("int counts[{}];", tiles);

  body_.line("const vec::i64 group = unit / tile_groups % groups, batch = unit / (tile_groups * groups);");
  body_.line("const vec::i64 tile0 = unit % tile_groups * {0}, tile_end = vec::imin(tiles, tile0 + {0});", tiles);
  body_.line("const vec::i64 panel0 = group * {0}, panel_end = vec::imin(panels, panel0 + {0});", group);
  decompose(body_, "batch", c.batch);
  if (c.batch.empty()) body_.line("(void)batch;");
  write_all_pointers();
  write_block_sums(tiles, group);
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

void TileWriter::write_block_sums(int64_t tiles, int64_t group) {
  const auto& c = *kernel_.contraction;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr, nr = c.shape.nr;
  const rt::DepthBlocks blocks = depth_blocks();
  const int64_t bytes = rt::prepared_bytes(c.format, mr, taps, c.depth.extent.constant());
  const std::string sum(storage_type(info(c.format).sum));
  text_.scratch_bytes = tiles * bytes + tiles * group * mr * nr * int64_t(size_of(info(c.format).sum));
  body_.line("{0}* const sums = ({0}*)(args->scratch + {1});", sum, tiles * bytes);
  body_.open("for (vec::i64 block = 0; block < {}; block++)", blocks.count);
  body_.line("const vec::i64 block_taps = {};",
             taps == 1 ? "1" : fmt::format("vec::imin({0}, taps - block * {0})", blocks.taps));
  body_.line("const vec::i64 block_depth = {};",
             taps == 1 ? fmt::format("vec::imin({0}, depth - block * {0})", blocks.depth) : "depth");
  write_block_rows(blocks, bytes);
  open_panels();
  body_.line("const {}* const right = {} + (({}) * panels + panel) * ({}) + block * {};",
             storage_type(info(c.format).panel), context_.pointers.at(c.packed), index_text(c.packed_batch),
             index_text(c.panel_elements), blocks.panel_bytes);
  open_tiles();
  write_sums_place("to", tiles);
  body_.line("const int function = counts[tile - tile0] + (block == 0 ? 0 : {});", mr);
  body_.line("rt->tiles[{}][function](prepared + (tile - tile0), block_taps, block_depth, right, to, {});",
             int(c.format), nr);
  body_.close(), body_.close(), body_.close();
}

// What tiles read of one block of the rows.
void TileWriter::write_block_rows(const rt::DepthBlocks& blocks, int64_t bytes) {
  const auto& c = *kernel_.contraction;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr;
  open_tiles();
  body_.line("const int count = counts[tile - tile0];");
  body_.line("const void* const* left = lefts + (tile - tile0) * {};", taps * mr);
  if (taps == 1) {
    body_.line("const void* part[{}];", mr);
    body_.line("for (int r = 0; r < count; r++) part[r] = (const {}*)left[r] + block * {};",
               storage_type(info(c.format).left), blocks.depth);
    body_.line("left = part;");
  } else {
    body_.line("left += block * {} * count;", blocks.taps);
  }
  body_.line("char* const place = args->scratch + (tile - tile0) * {};", bytes);
  body_.line("rt->prepare[{}](left, count, block_taps, block_depth, place, prepared + (tile - tile0));", int(c.format));
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
