// Panels of weights that have few bits each, and a scale for each block of K. No standard headers: see tiles.h.
#pragma once

#include "runtime/contraction/long_sums.h"

namespace cppgen::rt::n_bits {

// The zero point that is subtracted from a weight's bits: the same for all, or one byte or one float32 for each block
// of a column.
enum class Zeros : int { same, bytes, floats };

// The weights of a word of four bits: in steps of K from the lowest bits on, or so that byte i has the steps i
// and i + 4, because the lower and the upper halves of the bytes are then four steps each.
enum class Order : int { steps, halves };

// The header of a panel, of kHeaderBytes. Blocks follow, the last one padded:
//   float32 scales [columns], zeros [columns] if they are bytes or floats,
//   uint32 [block * bits / 32][columns], the first weight in the lowest bits; bits beyond K are 0
struct PanelHeader {
  int bits;  // 4 or 8
  Zeros zeros;
  float same_zero;
  long block;  // steps of K, a multiple of 16
};
inline constexpr long kHeaderBytes = 64;
static_assert(sizeof(PanelHeader) <= kHeaderBytes);

static inline constexpr __attribute__((always_inline)) long zero_bytes(Zeros zeros) {
  return zeros == Zeros::same ? 0 : zeros == Zeros::bytes ? 1 : 4;  // of one column
}
static inline constexpr __attribute__((always_inline)) long block_bytes(const PanelHeader& h, long columns) {
  return columns * (4 + zero_bytes(h.zeros) + h.block * h.bits / 8);
}
static inline constexpr __attribute__((always_inline)) long panel_bytes(const PanelHeader& h, long K, long columns) {
  const long bytes = (K + h.block - 1) / h.block * block_bytes(h, columns);
  return kHeaderBytes + (bytes + 63) / 64 * 64;
}

// Weights that are unpacked once for many tiles of rows: so many steps of K at a time, after which tiles move
// their sums to memory. 0 if blocks of weights do not end there.
static inline constexpr __attribute__((always_inline)) long unpacked_k(const PanelHeader& h) {
  return kBlockTerms % h.block == 0 || h.block % kBlockTerms == 0 ? kBlockTerms : 0;
}
// They are a panel of float32 (formats.h) of so many steps.
static inline constexpr __attribute__((always_inline)) long unpacked_steps(long K) { return (K + 15) / 16 * 16; }

}  // namespace cppgen::rt::n_bits
