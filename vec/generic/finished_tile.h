// The tiles of tile_ends.h, by number (finished_number) and rows, for kernels and what tests them: vec/<isa>/vec.h has
// been included. They are defined in finished_tile_body.h, which vec/<isa>/finished_tiles.cpp compiles for as many rows
// as tiles of these widths have.
#pragma once
#include "tile_ends.h"

namespace vec {
inline namespace VEC_ISA {

template <int Number, int Rows>
void finished_tile(const void* left, long distance, const long* tap_offsets, long taps, long K, const float* panel,
                   long ahead, const TileResults* results);

// The distances and the number of columns are stored one by one: g++ stores constants beside each other together, and a
// CPU that loads one of them has to wait until all results of the tile before are in the cache.
VEC_FN TileResults tile_results(const float* terms, const float* values, float* to, long values_distance,
                                long to_distance, long columns, float scale, float offset, float most) {
  asm("" : "+r"(values_distance), "+r"(to_distance), "+r"(columns));
  return {terms, values, to, values_distance, to_distance, columns, scale, offset, most};
}

}  // namespace VEC_ISA
}  // namespace vec
