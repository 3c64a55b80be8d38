#pragma once

namespace cppgen::rt {

// Wide tiles of bytes prefetch another panel than their own: so many of them fetch a whole one.
constexpr int kTilesAhead = 8;

// Tiles of float32 and matrix tiles prefetch the next panel, whose lines the tiles of a unit share.
constexpr int kLineBytes = 64;

// The bytes that tiles of float32 prefetch with each step of K are a multiple of this.
constexpr int kAheadStep = 4;

// Tiles of a matrix in place receive the distance between its rows, times this, plus the number of columns.
constexpr int kMatrixPlace = 64;

// So many, where a step of a panel has `of_step` bytes, which so many tiles share: at least two units, because lines
// are not fetched for many tiles at once, and at most a line.
static inline constexpr __attribute__((always_inline)) long bytes_ahead_of_step(long of_step, long tiles) {
  const long even = ((of_step + tiles - 1) / tiles + kAheadStep - 1) / kAheadStep * kAheadStep;
  return even < 2 * kAheadStep ? 2 * kAheadStep : even > kLineBytes ? kLineBytes : even;
}

}  // namespace cppgen::rt
