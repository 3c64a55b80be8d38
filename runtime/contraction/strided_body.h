// Tiles whose left operand is read in place, over the vectors of tile_body.h, for translation units that include it
// before. For what they compute see runtime/contraction/tiles.h.
#pragma once

namespace cppgen::rt::TILE_ISA {

constexpr int kStepsAhead = 8;  // for a left operand whose steps may be in different pages

template <int Rows, int Vectors, bool RowsContiguous>
void strided_tile(const float* a, long ld, long K, const float* b, float* block) {
  constexpr int columns = Vectors * kLanes;
  Vector acc[Rows][Vectors] = {};
  vec::SteppedRows<Rows, float> row(a, ld);
#pragma GCC unroll 2
  for (long k = 0; k < K; k++, b += columns) {
    if constexpr (RowsContiguous) __builtin_prefetch(a + kStepsAhead * ld);
    Vector bv[Vectors];
#pragma GCC unroll 2
    for (int j = 0; j < Vectors; j++) bv[j] = load(b + j * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) {
      const Vector x = splat(RowsContiguous ? a[r] : *row(r));
#pragma GCC unroll 2
      for (int j = 0; j < Vectors; j++) acc[r][j] = multiply_add(x, bv[j], acc[r][j]);
    }
    if constexpr (RowsContiguous)
      a += ld;
    else
      row.advance(1);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 2
    for (int j = 0; j < Vectors; j++) store(block + r * columns + j * kLanes, acc[r][j]);
}

template <int MaxRows, int Vectors, bool RowsContiguous>
constexpr RowTable<StridedTile, MaxRows, 1> strided_table([](auto rows) {
  return RowFunctions<StridedTile, 1>{strided_tile<rows, Vectors, RowsContiguous>};
});

template <int MaxRows, int Vectors>
constexpr StridedTileSet strided_set() {
  return {{strided_table<MaxRows, Vectors, false>.functions, strided_table<MaxRows, Vectors / 2, false>.functions,
           strided_table<MaxRows, Vectors, true>.functions, strided_table<MaxRows, Vectors / 2, true>.functions}};
}

}  // namespace cppgen::rt::TILE_ISA
