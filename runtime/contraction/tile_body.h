// The tile kernel over a vector type, for translation units that define
//   Vector               the register type: kLanes floats
//   load, store, splat, multiply_add
// in cppgen::rt::TILE_ISA before they include this file.
#pragma once

namespace cppgen::rt::TILE_ISA {

constexpr int kVectors = kTileColumns / kLanes;
constexpr int kPrefetchSteps = 16;
constexpr int kLineFloats = 16;  // of a cache line

template <int Rows>
struct Accumulators {
  Vector v[Rows][kVectors];
};

// One step of k: the outer product of Rows values of a and one row of the panel.
template <int Rows>
TILE_FN void outer_product(Accumulators<Rows>& acc, const float* const (&row)[Rows], long kk, const float* b) {
  Vector bv[kVectors];
#pragma GCC unroll 2
  for (int j = 0; j < kVectors; j++) bv[j] = load(b + j * kLanes);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++) {
    const Vector x = splat(row[r][kk]);
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; j++) acc.v[r][j] = multiply_add(x, bv[j], acc.v[r][j]);
  }
}

TILE_FN void prefetch_row(const float* b) {
#pragma GCC unroll 2
  for (int j = 0; j < kTileColumns; j += kLineFloats) __builtin_prefetch(b + j);
}

template <int Rows>
void tile(const float* const* a, long taps, long k, const float* b, float* c, long ldc) {
  Accumulators<Rows> acc = {};
  for (long t = 0; t < taps; t++, a += Rows) {
    const float* row[Rows];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) row[r] = a[r];
    long kk = 0;
#pragma GCC unroll 1
    for (; kk + 4 <= k; kk += 4, b += 4 * kTileColumns) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; u++) {
        prefetch_row(b + (u + kPrefetchSteps) * kTileColumns);
        outer_product<Rows>(acc, row, kk + u, b + u * kTileColumns);
      }
    }
#pragma GCC unroll 1
    for (; kk < k; kk++, b += kTileColumns) outer_product<Rows>(acc, row, kk, b);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; j++) store(c + r * ldc + j * kLanes, acc.v[r][j]);
}

}  // namespace cppgen::rt::TILE_ISA
