// The layout of bytes that matrix tiles multiply: one step multiplies 32 rows x 64 of the depth by 64 of the depth x 32
// columns. The depth is the concatenation of all taps, padded with zeros. No standard headers: see tiles.h.
#pragma once

namespace cppgen::rt::byte_blocks {

// A tile holds 16 rows of 64 bytes.
inline constexpr int kTileSide = 16, kStepDepth = 64, kBlockSide = 32, kGroup = 4;
inline constexpr long kTileBytes = 1024, kStepBytes = 2 * kTileBytes, kHeaderBytes = 64;

// The header of prepared rows, which are [step][16 rows][row][64 of depth].
struct RowsHeader {
  int count;
};

static inline constexpr __attribute__((always_inline)) long steps(long depth) {
  return (depth + kStepDepth - 1) / kStepDepth;
}
// A panel of 32 columns: [step][16 columns][four of depth][column][4].
static inline constexpr __attribute__((always_inline)) long panel_bytes(long depth) {
  return steps(depth) * kStepBytes;
}
static inline constexpr __attribute__((always_inline)) long rows_bytes(long depth) {
  return kHeaderBytes + steps(depth) * kStepBytes;
}
static inline constexpr __attribute__((always_inline)) long place_in_panel(long k, long column) {
  return k / kStepDepth * kStepBytes + column / kTileSide * kTileBytes +
         k % kStepDepth / kGroup * (kTileSide * kGroup) + column % kTileSide * kGroup + k % kGroup;
}

}  // namespace cppgen::rt::byte_blocks
