// Prepares a block of rows for matrix tiles: see RowsHeader in split_layout.h.
#pragma once

#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {

// The depth of one row of T over all taps, in steps of 32 elements.
template <class T>
class DepthCursor {
 public:
  __attribute__((always_inline)) DepthCursor(const void* const* row, long row_count, long taps, long depth)
      : row_(row), row_count_(row_count), taps_(taps), depth_(depth) {}

  // Whole steps that lie in memory one behind the other; take() passes over them.
  __attribute__((always_inline)) long steps_in_place() const {
    return tap_ < taps_ ? (depth_ - at_) / split::kStepDepth : 0;
  }
  __attribute__((always_inline)) const T* take(long steps) {
    const T* p = current();
    advance(steps * split::kStepDepth);
    return p;
  }
  // One step from several places; zero behind the end.
  __attribute__((always_inline)) void collect(T* buffer) {
    long filled = 0;
    while (filled < split::kStepDepth && tap_ < taps_) {
      const long rest = depth_ - at_, room = split::kStepDepth - filled, n = rest < room ? rest : room;
      __builtin_memcpy(buffer + filled, current(), (unsigned long)n * sizeof(T));
      advance(n), filled += n;
    }
    __builtin_memset(buffer + filled, 0, (unsigned long)(split::kStepDepth - filled) * sizeof(T));
  }

 private:
  const void* const* row_;
  long row_count_, taps_, depth_, tap_ = 0, at_ = 0;

  __attribute__((always_inline)) const T* current() const { return (const T*)row_[tap_ * row_count_] + at_; }
  __attribute__((always_inline)) void advance(long n) {
    at_ += n;
    if (at_ == depth_) tap_++, at_ = 0;
  }
};

// The parts of 32 numbers to `to` and the same place of the tiles behind it. The first is rounded, so that the signs of
// what it leaves, and with them those of the products left out, are those of chance. What two parts leave of 24 bits is
// exact in the third.
template <int Parts>
TILE_FN void store_parts(unsigned short* to, Floats x, Floats y) {
  constexpr long kPart = split::kPartElements;
  if constexpr (Parts == 1) {
    store_upper(to, rounded_to_even(x), rounded_to_even(y));
  } else {
    const Floats hi_x = rounded_away(x), hi_y = rounded_away(y);
    store_upper(to, hi_x, hi_y);
    x -= hi_x, y -= hi_y;
    const Floats mid_x = Parts == 2 ? rounded_away(x) : truncated(x),
                 mid_y = Parts == 2 ? rounded_away(y) : truncated(y);
    store_upper(to + kPart, mid_x, mid_y);
    if constexpr (Parts == 3) store_upper(to + 2 * kPart, x - mid_x, y - mid_y);
  }
}

// bfloat16 is its only part.
template <int Parts>
TILE_FN void prepare_step(const unsigned short* from, unsigned short* to, RangeFinder&) {
  static_assert(Parts == 1);
  __builtin_memcpy(to, from, split::kStepDepth * 2);
}
template <int Parts>
TILE_FN void prepare_step(const float* from, unsigned short* to, RangeFinder& range) {
  const Floats x = load(from), y = load(from + kLanes);
  if constexpr (Parts > 1) range.add(x), range.add(y);
  store_parts<Parts>(to, x, y);
}

// One row of 32 of every tile of its half.
template <class T, int Parts>
TILE_FN void prepare_row(DepthCursor<T> cursor, long steps, unsigned short* to, RangeFinder& all) {
  constexpr long kStep = Parts * split::kPartElements;
  RangeFinder range;
  while (steps > 0) {
    const long in_place = cursor.steps_in_place();
    if (in_place > 0) {
      const T* from = cursor.take(in_place);
      for (long s = 0; s < in_place; s++, to += kStep, from += split::kStepDepth) prepare_step<Parts>(from, to, range);
      steps -= in_place;
    } else {
      alignas(64) T buffer[split::kStepDepth];
      cursor.collect(buffer);
      prepare_step<Parts>(buffer, to, range);
      to += kStep, steps--;
    }
  }
  all.add(range);
}

// At most 32 rows of T.
template <class T, int Parts>
void prepare_split(const void* const* left, long count, long taps, long depth, void* scratch, const void** prepared) {
  const long steps = split::steps(taps * depth);
  unsigned short* tiles = (unsigned short*)((char*)scratch + split::kHeaderBytes);
  RangeFinder range;
  for (long r = 0; r < split::kBlockSide; r++) {
    unsigned short* to = tiles + r / split::kTileSide * split::kTileElements + r % split::kTileSide * split::kStepDepth;
    if (r < count)
      prepare_row<T, Parts>({left + r, count, taps, depth}, steps, to, range);
    else
      for (long i = 0; i < steps * Parts; i++, to += split::kPartElements)
        __builtin_memset(to, 0, split::kStepDepth * 2);
  }
  *(split::RowsHeader*)scratch = {left, int(count), range.range()};
  prepared[0] = scratch;
}

}  // namespace cppgen::rt::TILE_ISA
