// The float32 tile over a vector type, for translation units that define
//   Vector               the register type: kLanes floats
//   load, store, splat, multiply_add
// and TileUnit, which names these for vec/generic/product.h, in cppgen::rt::TILE_ISA before they include this file.
#pragma once

#include "runtime/contraction/long_sums.h"
#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {

template <bool Adds, int Rows, int Vectors>
TILE_FN void store_sums(const vec::Sums<TileUnit, Rows, Vectors>& sums, float* block, long ldc) {
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      float* const to = block + r * ldc + j * kLanes;
      store(to, Adds ? load(to) + sums.v[r][j] : sums.v[r][j]);
    }
}

template <int Rows, int Vectors, bool Adds>
VEC_KEEPS_REGISTERS void tile_block(const void* const* left, long taps, long K, const void* panel, long distance,
                                    void* block, long ldc, long ahead) {
  vec::Sums<TileUnit, Rows, Vectors> sums;
  const vec::PanelSteps<TileUnit, Vectors, float> steps{static_cast<const float*>(panel), distance};
  vec::add_taps(sums, left, taps, K, steps, vec::bytes_ahead(panel, ahead));
  store_sums<Adds>(sums, static_cast<float*>(block), ldc);
}

template <int Rows, int Vectors>
constexpr BlockTile block_tile(BlockFunction first, BlockFunction next) {
  static_assert(kLineBytes == vec::kAheadLine && kAheadStep == vec::kAheadStep);
  static_assert(kSliceColumns == vec::kSliceColumns && Vectors * kLanes <= kMostTileColumns);
  constexpr int kFloat = sizeof(float);
  return {first, next, Rows, Vectors * kLanes, kFloat, vec::slice_columns(Vectors * kLanes) * kFloat, 1};
}

template <int Rows, int Vectors>
void tile(const void* const* left, long taps, long K, const void* panel, void* block, long ldc, long ahead) {
  const long distance = taps * K * vec::slice_columns(Vectors * kLanes);
  if (taps * K <= kWholeTerms)
    return tile_block<Rows, Vectors, false>(left, taps, K, panel, distance, block, ldc, ahead);
  sum_blocks(block_tile<Rows, Vectors>(tile_block<Rows, Vectors, false>, tile_block<Rows, Vectors, true>), left, taps,
             K, panel, distance, static_cast<float*>(block), ldc, ahead);
}

template <int MaxRows, int Vectors>
constexpr RowTable<TileFunction, MaxRows, 1> tile_table([](auto rows) {
  return RowFunctions<TileFunction, 1>{tile<rows, Vectors>};
});

template <int MaxRows, int Vectors>
constexpr TileSet tile_set(PrepareFunction prepare = nullptr) {
  return {MaxRows, Vectors * kLanes, tile_table<MaxRows, Vectors>.functions, prepare};
}

}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/matrix_tile.h"
#include "runtime/contraction/strided_body.h"
