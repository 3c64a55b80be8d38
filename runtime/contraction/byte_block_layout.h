// The layout of bytes that matrix tiles multiply: one step multiplies 32 rows x 64 of K by 64 of K x 32
// columns. K is the concatenation of all taps, padded with zeros. No standard headers: see tiles.h.
#pragma once

namespace cppgen::rt::byte_blocks {

// A tile holds 16 rows of 64 bytes.
inline constexpr int kTileSide = 16, kStepK = 64, kBlockSide = 32, kGroup = 4;
inline constexpr long kTileBytes = 1024, kStepBytes = 2 * kTileBytes, kHeaderBytes = 64;

// The header of prepared rows, which are [step][16 rows][row][64 of K].
struct RowsHeader {
  int count;
};

static inline constexpr __attribute__((always_inline)) long steps(long K) { return (K + kStepK - 1) / kStepK; }
// A panel of 32 columns: [step][16 columns][four of K][column][4].
static inline constexpr __attribute__((always_inline)) long panel_bytes(long K) { return steps(K) * kStepBytes; }
static inline constexpr __attribute__((always_inline)) long rows_bytes(long K) {
  return kHeaderBytes + steps(K) * kStepBytes;
}
static inline constexpr __attribute__((always_inline)) long place_in_panel(long k, long column) {
  return k / kStepK * kStepBytes + column / kTileSide * kTileBytes + k % kStepK / kGroup * (kTileSide * kGroup) +
         column % kTileSide * kGroup + k % kGroup;
}

}  // namespace cppgen::rt::byte_blocks
