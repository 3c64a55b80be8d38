// Prepares a block of rows for matrix tiles: see RowsHeader in split_layout.h.
#pragma once

#include "runtime/contraction/k_cursor.h"
#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {

// Writes the parts of 32 numbers to `to` and to the same place of the tiles after it. The first part is rounded, so
// that the signs of the remainders, and with them those of the omitted products, are unbiased. The remainder of two
// parts is exact in the third.
template <int Parts>
TILE_FN void store_parts(unsigned short* to, Floats x, Floats y) {
  constexpr long kPart = split::kPartElements;
  if constexpr (Parts == 1) {
    store_rounded(to, x, y);
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

// A bfloat16 number is its only part.
template <int Parts>
TILE_FN void prepare_step(const unsigned short* from, unsigned short* to, RangeFinder&) {
  static_assert(Parts == 1);
  __builtin_memcpy(to, from, split::kStepK * 2);
}
template <int Parts>
TILE_FN void prepare_step(const float* from, unsigned short* to, RangeFinder& range) {
  const Floats x = load(from), y = load(from + kLanes);
  if constexpr (Parts > 1) range.add(x), range.add(y);
  store_parts<Parts>(to, x, y);
}

// One row of 32 numbers of every tile in its half.
template <class T, int Parts>
TILE_FN void prepare_row(KCursor<T, split::kStepK> cursor, long steps, unsigned short* to, RangeFinder& all) {
  constexpr long kStep = Parts * split::kPartElements;
  RangeFinder range;
  while (steps > 0) {
    const long in_place = cursor.steps_in_place();
    if (in_place > 0) {
      const T* from = cursor.take(in_place);
      for (long s = 0; s < in_place; s++, to += kStep, from += split::kStepK) prepare_step<Parts>(from, to, range);
      steps -= in_place;
    } else {
      alignas(64) T buffer[split::kStepK];
      cursor.collect(buffer);
      prepare_step<Parts>(buffer, to, range);
      to += kStep, steps--;
    }
  }
  all.add(range);
}

// Rows whose steps are all in one tap, step by step: the tiles of one step are in few pages.
template <class T, int Parts>
TILE_FN void prepare_whole_steps(const void* const* left, long count, long taps, long K, unsigned short* tiles,
                                 RangeFinder& range) {
  for (long t = 0; t < taps; t++, left += count)
    for (long k = 0; k < K; k += split::kStepK, tiles += Parts * split::kPartElements)
      for (long r = 0; r < count; r++) prepare_step<Parts>((const T*)left[r] + k, tiles + r * split::kStepK, range);
}

// There are at most 32 rows of T. With up to 16, the lower tiles are left unchanged, because they are not read.
template <class T, int Parts>
void prepare_split(const void* const* left, long count, long taps, long K, void* scratch, const void** prepared) {
  const long steps = split::steps(taps * K);
  unsigned short* tiles = (unsigned short*)((char*)scratch + split::kHeaderBytes);
  RangeFinder range;
  if (K % split::kStepK == 0)
    prepare_whole_steps<T, Parts>(left, count, taps, K, tiles, range);
  else
    for (long r = 0; r < count; r++)
      prepare_row<T, Parts>({left + r, count, taps, K}, steps, tiles + r * split::kStepK, range);
  const long padded = count <= split::kTileSide ? split::kTileSide : split::kBlockSide;
  for (long i = 0; i < steps * Parts; i++, tiles += split::kPartElements)
    for (long r = count; r < padded; r++) __builtin_memset(tiles + r * split::kStepK, 0, split::kStepK * 2);
  *(split::RowsHeader*)scratch = {left, int(count), range.range()};
  prepared[0] = scratch;
}

}  // namespace cppgen::rt::TILE_ISA
