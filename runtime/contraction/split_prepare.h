// Prepares a block of rows for matrix tiles: see RowsHeader in split_layout.h.
#pragma once

#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {

// The depth of one row over all taps, 32 elements at a time; zero behind its end.
class DepthCursor {
 public:
  __attribute__((always_inline)) DepthCursor(const void* const* row, long row_count, long taps, long depth)
      : row_(row), row_count_(row_count), taps_(taps), depth_(depth) {}

  // May copy to `buffer`.
  __attribute__((always_inline)) const float* next(float* buffer) {
    if (depth_ - at_ >= split::kStepDepth && tap_ < taps_) {
      const float* p = current();
      advance(split::kStepDepth);
      return p;
    }
    collect(buffer);
    return buffer;
  }

 private:
  const void* const* row_;
  long row_count_, taps_, depth_, tap_ = 0, at_ = 0;

  __attribute__((always_inline)) const float* current() const { return (const float*)row_[tap_ * row_count_] + at_; }
  __attribute__((always_inline)) void advance(long n) {
    at_ += n;
    if (at_ == depth_) tap_++, at_ = 0;
  }
  __attribute__((always_inline)) void collect(float* buffer) {
    long filled = 0;
    while (filled < split::kStepDepth && tap_ < taps_) {
      const long rest = depth_ - at_, room = split::kStepDepth - filled, n = rest < room ? rest : room;
      __builtin_memcpy(buffer + filled, current(), (unsigned long)n * 4);
      advance(n), filled += n;
    }
    __builtin_memset(buffer + filled, 0, (unsigned long)(split::kStepDepth - filled) * 4);
  }
};

// The parts of 16 numbers to to, to + part, to + 2 part.
template <int Parts>
TILE_FN void store_parts(unsigned short* to, long part, Floats x) {
#pragma GCC unroll 3
  for (int p = 0; p < Parts; p++) {
    const Floats rounded_x = rounded<Parts == 1>(x);
    store_upper(to + p * part, rounded_x);
    x -= rounded_x;
  }
}

// One row of 32 of every tile of its half.
template <int Parts>
TILE_FN void prepare_row(DepthCursor cursor, long steps, unsigned short* to, RangeFinder& range) {
  alignas(64) float buffer[split::kStepDepth];
  for (long s = 0; s < steps; s++, to += Parts * split::kPartElements) {
    const float* from = cursor.next(buffer);
#pragma GCC unroll 2
    for (int i = 0; i < split::kStepDepth; i += kLanes) {
      const Floats x = load(from + i);
      if constexpr (Parts > 1) range.add(x);
      store_parts<Parts>(to + i, split::kPartElements, x);
    }
  }
}

// left[tap * count + row] are rows of float32; count <= 32. `out` has rows_bytes(taps * depth, Parts) bytes, aligned to
// 64.
template <int Parts>
void prepare_split(const void* const* left, long count, long taps, long depth, void* out) {
  const long steps = split::steps(taps * depth);
  unsigned short* tiles = (unsigned short*)((char*)out + split::kHeaderBytes);
  RangeFinder range;
  for (long r = 0; r < split::kBlockSide; r++) {
    unsigned short* to = tiles + r / split::kTileSide * split::kTileElements + r % split::kTileSide * split::kStepDepth;
    const bool has = r < count && taps * depth > 0;
    if (has)
      prepare_row<Parts>({left + r, count, taps, depth}, steps, to, range);
    else
      for (long i = 0; i < steps * Parts; i++, to += split::kPartElements)
        __builtin_memset(to, 0, split::kStepDepth * 2);
  }
  *(split::RowsHeader*)out = {left, int(count), range.range()};
}

}  // namespace cppgen::rt::TILE_ISA
