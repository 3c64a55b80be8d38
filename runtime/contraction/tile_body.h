// The float32 tile over a vector type, for translation units that define
//   Vector               the register type: kLanes floats
//   load, store, splat, multiply_add
// in cppgen::rt::TILE_ISA before they include this file.
#pragma once

namespace cppgen::rt::TILE_ISA {

constexpr int kPrefetchSteps = 16;
constexpr int kLineFloats = 16;  // of a cache line

template <int Rows, int Vectors>
struct Accumulators {
  Vector v[Rows][Vectors];
};

// One step of the depth: the outer product of Rows values of the left operand and one row of the panel.
template <int Rows, int Vectors>
TILE_FN void outer_product(Accumulators<Rows, Vectors>& acc, const float* const (&row)[Rows], long k, const float* b) {
  Vector bv[Vectors];
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; j++) bv[j] = load(b + j * kLanes);
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++) {
    const Vector x = splat(row[r][k]);
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) acc.v[r][j] = multiply_add(x, bv[j], acc.v[r][j]);
  }
}

template <int Columns>
TILE_FN void prefetch_row(const float* b) {
#pragma GCC unroll 4
  for (int j = 0; j < Columns; j += kLineFloats) __builtin_prefetch(b + j);
}

template <int Rows, int Vectors>
void tile(const void* const* left, long taps, long depth, const void* panel, void* block, long ldc) {
  constexpr int kColumns = Vectors * kLanes;
  Accumulators<Rows, Vectors> acc = {};
  const float* b = static_cast<const float*>(panel);
  for (long t = 0; t < taps; t++, left += Rows) {
    if (!left[0]) {
      b += depth * kColumns;
      continue;
    }
    const float* row[Rows];
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) row[r] = static_cast<const float*>(left[r]);
    long k = 0;
#pragma GCC unroll 1
    for (; k + 4 <= depth; k += 4, b += 4 * kColumns) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; u++) {
        prefetch_row<kColumns>(b + (u + kPrefetchSteps) * kColumns);
        outer_product<Rows, Vectors>(acc, row, k + u, b + u * kColumns);
      }
    }
#pragma GCC unroll 1
    for (; k < depth; k++, b += kColumns) outer_product<Rows, Vectors>(acc, row, k, b);
  }
  float* c = static_cast<float*>(block);
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) store(c + r * ldc + j * kLanes, acc.v[r][j]);
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
