// The layout of the parts of float32 numbers that matrix tiles multiply: each value is the sum of up to three bfloat16
// numbers, hi + mid + lo, and a product is the sum of the larger products of their parts. No standard headers: see
// tiles.h.
#pragma once

// Units for different instruction sets include this header, so nothing in it may exist out of line.
#define SPLIT_FN static inline constexpr __attribute__((always_inline))

namespace cppgen::rt::split {

// A tile holds 16 rows of 64 bytes. One step multiplies 32 rows x 32 of K by 32 of K x 32 columns.
inline constexpr int kTileSide = 16, kStepK = 32, kBlockSide = 32;
inline constexpr int kTileElements = kTileSide * kStepK;  // bfloat16 of a tile
inline constexpr int kPartElements = 2 * kTileElements;   // of one part of one step: two tiles
inline constexpr long kHeaderBytes = 64;

// The range of binary exponents of the finite, nonzero numbers of a block, and whether it contains other numbers: |x|
// is in [2^least, 2^(most + 1)). A block of zeros has least > most.
struct Range {
  int least, most;
};
inline constexpr Range kNothing{1024, -1024};
inline constexpr Range kNotFinite{-1024, 1024};

// The header of each block of a packed panel of 32 columns. With parts, the block is [step][part][16 columns][pair of
// K][column][2], zero beyond K and the columns; without, float32 [K][32 columns], which the FMA tiles
// read.
struct PanelHeader {
  int has_parts;
  Range range;
};

// The header of prepared rows, which are [step][part][16 rows][row][32 of K], zero beyond the rows of the tiles
// that are read and beyond K. K is the concatenation of all taps. `rows` are the original rows of the
// operand, which the FMA tiles read.
struct RowsHeader {
  const void* const* rows;
  int count;
  Range range;
};
static_assert(sizeof(PanelHeader) <= kHeaderBytes && sizeof(RowsHeader) <= kHeaderBytes);

SPLIT_FN long steps(long K) { return (K + kStepK - 1) / kStepK; }
SPLIT_FN long part_bytes(long K, int parts) { return steps(K) * parts * kPartElements * 2; }
// The bytes of one block of a panel, where `K` counts all its taps. A block in float32 takes the space of its
// parts.
SPLIT_FN long panel_bytes(long K, int parts) {
  const long in_parts = part_bytes(K, parts), in_float = parts > 1 ? K * kBlockSide * 4 : 0;
  return kHeaderBytes + (in_parts < in_float ? in_float : in_parts);
}

// A long K is multiplied block by block, so that a block's part of panels and rows stays in the second-level cache:
// each block has some of the taps, or, of a single tap, some of its K. The last one may be shorter. Each has rows
// and panels of its own, laid out as above, and sums of its own, which are added to those of the blocks before; and
// each block decides for itself whether its numbers can be represented by parts.
struct KBlocks {
  long count, taps, k;
};
SPLIT_FN KBlocks k_blocks(long taps, long K, int parts) {
  const long most = parts == 1 ? 1024 : 512;
  if (2 * taps * K <= 3 * most) return {1, taps, K};
  if (taps == 1) return {(K + most - 1) / most, 1, most};
  const long several = K < most ? most / K : 1;
  return {(taps + several - 1) / several, several, K};
}
// Returns K of block `i`, over all its taps.
SPLIT_FN long block_k(KBlocks b, long i, long taps, long K) {
  if (i + 1 < b.count) return b.taps * b.k;
  return taps * K - i * b.taps * b.k;
}
// The bytes of a panel with all its blocks.
SPLIT_FN long all_panel_bytes(long taps, long K, int parts) {
  const KBlocks b = k_blocks(taps, K, parts);
  return (b.count - 1) * panel_bytes(b.taps * b.k, parts) + panel_bytes(block_k(b, b.count - 1, taps, K), parts);
}
SPLIT_FN long rows_bytes(long K, int parts) { return kHeaderBytes + part_bytes(K, parts); }

// A number is the exact sum of its parts from 2^-103 (its last bit is then normal) to below 2^127 (it does not round to
// infinity).
inline constexpr int kLeastExact = -103, kMostExact = 126;
SPLIT_FN bool exact(Range r) { return r.least > r.most || (r.least >= kLeastExact && r.most <= kMostExact); }

SPLIT_FN int ceil_log2(long n) {
  int bits = 0;
  while ((1L << bits) < n) bits++;
  return bits;
}

// Returns whether every product of parts, and every sum of them over K, is zero or normal and finite: tiles
// flush denormals. The last bits of the product of two parts are 46 binary places below the first bits of the numbers.
SPLIT_FN bool exact(Range left, Range right, long K) {
  return exact(left) && exact(right) && left.least + right.least - 46 >= -126 &&
         left.most + right.most + 2 + ceil_log2(K) <= kMostExact;
}

}  // namespace cppgen::rt::split
