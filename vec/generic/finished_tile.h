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

}  // namespace VEC_ISA
}  // namespace vec
