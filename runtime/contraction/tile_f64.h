// The tile of float64, for translation units that define DoubleUnit, a Unit of vec/generic/product.h that can also
// store, in cppgen::rt::TILE_ISA before they include this file.
#pragma once

#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {

// Sums of any K have one accumulator: their rounding is that of float64.
template <int Rows, int Vectors>
VEC_KEEPS_REGISTERS void tile_f64(const void* const* left, long taps, long K, const void* panel, void* block, long ldc,
                                  long) {
  constexpr int kColumns = Vectors * DoubleUnit::kLanes;
  static_assert(vec::slice_columns(kColumns) == kColumns, "a panel is one slice (formats.h)");
  vec::Sums<DoubleUnit, Rows, Vectors> sums;
  const vec::PanelSteps<DoubleUnit, Vectors, double> steps{static_cast<const double*>(panel), 0};
  vec::add_taps(sums, left, taps, K, steps);
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++)
      DoubleUnit::store(static_cast<double*>(block) + r * ldc + j * DoubleUnit::kLanes, sums.v[r][j]);
}

template <int MaxRows, int Vectors>
constexpr RowTable<TileFunction, MaxRows, 1> tile_table_f64([](auto rows) {
  return RowFunctions<TileFunction, 1>{tile_f64<rows, Vectors>};
});

template <int MaxRows, int Vectors>
constexpr TileSet tile_set_f64(PrepareFunction prepare = nullptr) {
  return {MaxRows, Vectors * DoubleUnit::kLanes, tile_table_f64<MaxRows, Vectors>.functions, prepare};
}

}  // namespace cppgen::rt::TILE_ISA
