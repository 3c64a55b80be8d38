// The operand formats of contraction tiles: passive data for the schedule and the runtime.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// The rows of tile_formats.def. The value is an index of cppgen_runtime::tiles.
enum class TileFormat : uint8_t {
#define CPPGEN_TILE_FORMAT(format, ...) format,
#include "runtime/contraction/tile_formats.def"
};

inline constexpr size_t kTileFormatCount = 0
#define CPPGEN_TILE_FORMAT(...) +1
#include "runtime/contraction/tile_formats.def"
    ;

// The form in which tiles read the left operand: its rows in memory, or the result of the format's prepare function
// (runtime/contraction/tiles.h): rows of another type, or one block of matrix tiles
// (runtime/contraction/split_layout.h, byte_block_layout.h).
enum class LeftForm : uint8_t { in_place, rows, block };

struct TileFormatInfo {
  std::string_view name;
  DType left, right;  // operands in memory, the right one before it is packed
  DType panel;        // the packed right operand
  DType sum;          // the type that a tile writes
  // The number of steps of K that are adjacent in a row of a panel, which is laid out as
  // [slice][tap][ceil(K / k_group)][columns of the slice][k_group], zeros beyond the last column and step.
  int k_group;
  LeftForm form;
  int parts;  // of a block, 0 for bytes; panels of blocks are in bytes, and only constants are packed in this way
};

// Products of bfloat16 for one of float32, and of bytes for one of theirs.
constexpr int products_of_parts(const TileFormatInfo& f) { return f.parts == 0 ? 1 : f.parts * (f.parts + 1) / 2; }

// The index is a TileFormat.
std::span<const TileFormatInfo> tile_formats();
inline const TileFormatInfo& info(TileFormat f) { return tile_formats()[size_t(f)]; }

// Tells whether tiles of the format read float32 in place and multiply it by panels of float32, in one of three widths.
constexpr bool is_float32(TileFormat f) {
  return f == TileFormat::f32 || f == TileFormat::f32_wide || f == TileFormat::f32_narrow;
}

// The type of prepared rows: that of the panel, or float32 if panels are in bytes.
DType prepared_type(TileFormat);

// The columns of a slice of a panel of `nr` columns: 16 for float32 if nr is a multiple of it, so that the tiles of
// several widths and instruction sets read the same bytes; otherwise the panel is one slice. The panels of libxsmm,
// which are wider than those of our tiles, are one slice, too.
int slice_columns(TileFormat, int nr);

// Wide tiles of bytes prefetch another panel, kTilesAhead of them a whole one (tiles_ahead.h).
bool tiles_prefetch(TileFormat);

// The cache lines of a panel that matrix tiles multiply in one step of K.
long lines_of_step(TileFormat);

// Elements (of TileFormatInfo::panel) of one panel of `nr` columns. For weights of few bits see pack_n_bits.h.
long panel_elements(TileFormat, long taps, long K, int nr);
// States how tiles divide K: `count` blocks of so many taps and so much of each, of which the last one may be
// shorter; a block of a panel has `panel_bytes`. Formats without parts have one block; with parts, the first block
// overwrites the sums and the others add to them.
struct KBlocks {
  long count, taps, k, panel_bytes;
};
KBlocks k_blocks(TileFormat, long taps, long K);
// Maximum number of bytes of scratch memory that the format's prepare function needs for `rows` rows of one block of
// K; 0 if there is no such function.
long prepared_bytes(TileFormat, long rows, long taps, long K);

// Rows and columns of the largest tile. Tiles with fewer rows exist; the number of columns is fixed.
struct TileShape {
  int mr = 0, nr = 0;
  bool operator==(const TileShape&) const = default;
};

// {0, 0} if the ISA has no tiles of this format. Throws InternalError if `isa` is not a row of the table of instruction
// sets (isa/vec_isa.h).
TileShape tile_shape(std::string_view isa, TileFormat);

}  // namespace cppgen::rt
