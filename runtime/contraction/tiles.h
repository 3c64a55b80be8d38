// The tables of register-blocked tiles, one per ISA, each defined in its own translation unit. No standard headers:
// these units are compiled for different instruction sets, and an inline function of a shared header could be kept in
// the wrong one's version.
#pragma once

#include "runtime/contraction/tiles_ahead.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::rt {

// Panels of float32 for tiles of a multiple of so many columns consist of slices (formats.h).
constexpr int kSliceColumns = 16;
constexpr int kMostTileColumns = 48;  // of our own tiles of float32

// block[r * ldc + j] = sum over t < taps, k < K of left[t * rows + r][k] * B[t, k, j], for r < rows and j < NR,
// where `panel` holds B in the layout of the format (formats.h), aligned to 64 bytes. A tap whose first pointer is null
// is skipped (float32 and float64 tiles only). The block is overwritten; left and block need no alignment. Float sums
// are in the order of (t, k), those of float32 in blocks that depend on K alone (long_sums.h). Products and
// sums are fused, except for the scalar ISA, which has no such instruction. Integer sums are exact, modulo 2^32.
// If `ahead` is not 0, tiles prefetch into the second-level cache what is so many bytes behind the start of the panel,
// rounded down to a multiple of kLineBytes, and need not exist: float32 tiles ahead % kLineBytes * kAheadStep bytes
// with each step of K, matrix tiles ahead % kLineBytes lines with every product of parts of such a step, and wide tiles
// of bytes one of kTilesAhead equal parts of as much as the panel.
using TileFunction = void (*)(const void* const* left, long taps, long K, const void* panel, void* block, long ldc,
                              long ahead);

// Converts the rows left[t * rows + r][k], k < K, to the form that tiles of the format read: `prepared` then
// replaces `left`. It points into scratch memory of prepared_bytes() (formats.h), aligned to 64 bytes, which may refer
// to `left`.
using PrepareFunction = void (*)(const void* const* left, long rows, long taps, long K, void* scratch,
                                 const void** prepared);

// The tiles of one format: entry `rows` computes that many rows, 1 <= rows <= mr; entry 0 is null, except for n_bits.
// If K is divided into blocks (split_layout.h), entry mr + rows adds to the block instead of overwriting it.
// `prepare` is null if tiles read the original rows.
struct TileSet {
  int mr = 0, nr = 0;
  const TileFunction* functions = nullptr;
  PrepareFunction prepare = nullptr;
  // If tiles need a unit of the CPU that must be configured, a thread calls these before and after them; else null.
  void (*begin)() = nullptr;
  void (*finish)() = nullptr;
};

// The distance between prepared rows: an odd number of cache lines, so that equal columns of many rows map to different
// sets of L1.
static inline constexpr __attribute__((always_inline)) long prepared_row_bytes(long K, long element) {
  return (((K * element + 63) / 64) | 1) * 64;
}

// block[r * columns + j] = sum over k < K of x(r, k) * panel[k * columns + j], for r < rows and j < columns, which
// is NR of the format f32, or half of it. x(r, k) is left[r * ld + k], or with contiguous rows left[k * ld + r].
// Otherwise as above.
using StridedTile = void (*)(const float* left, long ld, long K, const float* panel, float* block);
// Indexed by 2 * rows are contiguous + half the columns; entry `rows` of each computes that many rows, 1 <= rows <= mr.
struct StridedTileSet {
  const StridedTile* functions[4] = {};
};

// The transforms of convolutions by Winograd's algorithm of one form (winograd.h), for one patch of side x side
// results, with window = side + taps - 1. In flat patches, y is always 0.
struct WinogradTransforms {
  // to[(y * window + x) * plane + c], for c < channels, from the inputs points[y * window + x][c]. Also writes the
  // elements up to the next multiple of 16 channels.
  void (*input)(const float* const* points, long channels, float* to, long plane);
  // block[(y * side + x) * columns + j] from the sums products[(y * window + x) * plane + j], for j < columns, a
  // multiple of the lanes. Returns whether one of these is infinite or not a number.
  bool (*output)(const float* products, long plane, long columns, float* block);
  // Computes the same results from the inputs and a panel of the original taps, by the tile for `side` rows.
  void (*direct)(const float* const* points, long channels, TileFunction tile, const float* panel, long columns,
                 float* block);
};

// The products of all patches at one point: block[r * NR + j] = sum over k < K of left[r * ld + k] * B[k, j], for at
// least one row, on tiles that are as even as they can be. The sums of blocks of `terms` products are added in pairs,
// and these sums in pairs, and so on: the first of two halves has the largest power of 2 blocks that is less than all.
// Transforms multiply the errors of sums (winograd.h). Blocks are longer if there would be more than 2^kPatchLevels.
// The tiles prefetch the panel that follows theirs in memory, in equal parts.
constexpr int kPatchLevels = 20;
using PatchProducts = void (*)(const float* left, long ld, long rows, long terms, long K, const float* panel,
                               float* block);

struct WinogradSet {
  WinogradTransforms forms[winograd::kFormCount];  // in the order of their numbers
  PatchProducts products[winograd::kFormatCount];  // by format; null where there are no such tiles
};

// The sets that tile_formats.def lists, each in the namespace of its instruction set. Formats of float32 and of bytes
// compute what is said above.
//
// n_bits: weights of few bits (n_bit_layout.h), one tap. The weights are exact; sums are in float32, in an order that
// depends on the number of rows. Accumulators have fewer than 1,024 terms. For many rows, weights are unpacked first:
// entry 0 writes `K` steps from step `taps` on, a multiple of unpacked_k(), to `block`, as a panel of float32
// of unpacked_steps(K) steps. Entries mr + rows and 2 * mr + rows multiply by these, overwriting the block or
// adding to it, with the sums of entry `rows` where that scales the weights (n_bit_tile.h).
//
// n_bits_of_i8: the same weights, and rows of signed bytes with a scale for each block of the weights: left[rows + r]
// points to two float32 for each block of row r, its scale and the sum of its bytes. The bytes of the last block are
// read to its end; those beyond K do not matter. The sums of products of a block are exact, at most 2^31 / 255
// / 128 of them, and scaled sums are added in the order of the blocks.
//
// f32_matrix: `panel` points to the first of K rows in memory, of one tap, and `ahead` is kMatrixPlace times the
// distance between rows in elements, plus the number of columns, at most NR. Sums are those of the other tiles of
// float32; what follows them in the last vector of a row of the block is undefined. Nothing beyond the columns is read.
//
// bf16: of a pair of k - 2i, 2i + 1 - the second product is added first, and denormals, as operands or sums, are
// treated as zero, as vdpbf16ps does.
//
// split: on matrix tiles, from parts in bfloat16 (split_layout.h): blocks of up to 32 rows, which are prepared first.
// One part: bfloat16 products. Two: three products of parts. Three: six products, whose error is no larger than that of
// fused multiply-adds in float32. Numbers that two or three parts cannot represent (infinities, NaN, numbers or
// products near the ends of float32's range) are summed by fused multiply-adds in the order of the float32 tiles.
//
// block: bytes on matrix tiles, whose sums are exact.
//
// amx requires a CPU with AMX and permission to use it; emulated_amx runs everywhere, slowly, and gives the same bits,
// but for sums of pairs of bfloat16, which it does not divide.
#define CPPGEN_TILES(isa, format)      \
  namespace isa {                      \
  extern const TileSet tiles_##format; \
  }
#define CPPGEN_EMULATED_TILES(format) CPPGEN_TILES(emulated_amx, format)
#define CPPGEN_STRIDED_TILES(isa)          \
  namespace isa {                          \
  extern const StridedTileSet strided_f32; \
  extern const WinogradSet winograd_forms; \
  }
#include "runtime/contraction/tile_formats.def"

}  // namespace cppgen::rt
