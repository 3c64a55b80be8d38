// The float32 tile over a vector type, for translation units that define
//   Vector               the register type: kLanes floats
//   load, store, splat, multiply_add
// and TileUnit, which names these for vec/generic/product.h, in cppgen::rt::TILE_ISA before they include this file.
#pragma once

#include "runtime/contraction/long_sums.h"

namespace cppgen::rt::TILE_ISA {

template <int Rows, int Vectors, bool Adds>
VEC_KEEPS_REGISTERS void tile_block(const void* const* left, long taps, long depth, const void* panel, long distance,
                                    void* block, long ldc) {
  vec::Sums<TileUnit, Rows, Vectors> sums;
  vec::add_taps(sums, vec::ScatteredRows<Rows>{left}, taps, depth, static_cast<const float*>(panel), distance);
  float* c = static_cast<float*>(block);
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      float* const to = c + r * ldc + j * kLanes;
      store(to, Adds ? load(to) + sums.v[r][j] : sums.v[r][j]);
    }
}

template <int Rows, int Vectors>
void tile(const void* const* left, long taps, long depth, const void* panel, void* block, long ldc) {
  static_assert(kSliceColumns == vec::kSliceColumns && Vectors * kLanes <= kMostTileColumns);
  constexpr BlockFunction first = tile_block<Rows, Vectors, false>, next = tile_block<Rows, Vectors, true>;
  constexpr int kFloat = sizeof(float), kSlice = vec::slice_columns(Vectors * kLanes);
  const long distance = taps * depth * kSlice;
  if (taps * depth <= kWholeTerms) return first(left, taps, depth, panel, distance, block, ldc);
  sum_blocks({first, next, Rows, Vectors * kLanes, kFloat, kSlice * kFloat, 1}, left, taps, depth, panel, distance,
             static_cast<float*>(block), ldc);
}

// The tiles of 1 to MaxRows rows.
template <int MaxRows, int Vectors>
struct TileTable {
  TileFunction functions[MaxRows + 1] = {};

  constexpr TileTable() { fill<1>(); }
  template <int Rows>
  constexpr void fill() {
    functions[Rows] = tile<Rows, Vectors>;
    if constexpr (Rows < MaxRows) fill<Rows + 1>();
  }
};
template <int MaxRows, int Vectors>
constexpr TileTable<MaxRows, Vectors> tile_table;

template <int MaxRows, int Vectors>
constexpr TileSet tile_set(PrepareFunction prepare = nullptr) {
  return {MaxRows, Vectors * kLanes, tile_table<MaxRows, Vectors>.functions, prepare};
}

}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/strided_body.h"
