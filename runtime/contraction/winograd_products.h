// The products of many patches with a panel, for translation units that include tile_body.h before. For what they
// compute see PatchProducts in runtime/contraction/tiles.h.
#pragma once

#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {

// Tiles of so many rows, which follow each other.
using PatchTiles = void (*)(const float* left, long ld, long tiles, long terms, long K, const float* panel,
                            float* block, vec::BytesAhead& ahead);

template <int Rows, int Vectors>
TILE_FN void add_stored_sums(vec::Sums<TileUnit, Rows, Vectors>& sums, const float* from) {
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) sums.v[r][j] = load(from + (r * Vectors + j) * kLanes) + sums.v[r][j];
}

template <int Rows, int Vectors>
VEC_KEEPS_REGISTERS void patch_tiles(const float* left, long ld, long tiles, long terms, long K, const float* panel,
                                     float* block, vec::BytesAhead& ahead) {
  constexpr int kColumns = Vectors * kLanes, kSlice = vec::slice_columns(kColumns);
  alignas(sizeof(Vector)) float stored[kPatchLevels][Rows * kColumns];  // the sums of 1, 2, 4, ... blocks
  vec::BytesAhead panel_ahead = ahead;
  vec::NothingAhead nothing;
  for (long t = 0; t < tiles; t++, left += Rows * ld, block += Rows * kColumns) {
    vec::SteppedRows<Rows, float> rows(left, ld);
    vec::PanelSteps<TileUnit, Vectors, float> slice{panel, K * kSlice};
    long rest = K;
    for (unsigned long earlier = 0;; earlier++) {
      vec::Sums<TileUnit, Rows, Vectors> sums;
      const long steps = rest < terms ? rest : terms;
      vec::add_products(sums, steps, slice, rows, panel_ahead, nothing);
      slice.advance(steps);
      rest -= steps;
      // The stored sums are those of the bits that are 1 in the number of earlier blocks. This block completes the
      // lowest ones, up to the first bit that is 0; the last block completes all.
      int level = 0;
      for (; rest > 0 ? (earlier >> level & 1) != 0 : earlier >> level != 0; level++)
        if (earlier >> level & 1) add_stored_sums(sums, stored[level]);
      store_sums<false>(sums, rest > 0 ? stored[level] : block, kColumns);
      if (rest <= 0) break;
    }
  }
  ahead = panel_ahead;
}

template <int MaxRows, int Vectors>
constexpr RowTable<PatchTiles, MaxRows, 1> patch_table([](auto rows) {
  return RowFunctions<PatchTiles, 1>{patch_tiles<rows, Vectors>};
});

template <int MaxRows, int Vectors>
void patch_products(const float* left, long ld, long rows, long terms, long K, const float* panel, float* block) {
  constexpr long kColumns = Vectors * kLanes, kBytes = sizeof(float);
  // There is room for the sums of so many blocks only.
  const long least = (K >> kPatchLevels) + 1;
  if (terms < least) terms = least;
  // Some tiles have one row more than the others.
  const long tiles = (rows + MaxRows - 1) / MaxRows, count = rows / tiles, larger = rows - count * tiles;
  vec::BytesAhead ahead = {(const char*)(panel + K * kColumns), bytes_ahead_of_step(kColumns * kBytes, tiles)};
  const auto& table = patch_table<MaxRows, Vectors>.functions;
  if (larger > 0) table[count + 1](left, ld, larger, terms, K, panel, block, ahead);
  const long done = larger * (count + 1);
  table[count](left + done * ld, ld, tiles - larger, terms, K, panel, block + done * kColumns, ahead);
}

}  // namespace cppgen::rt::TILE_ISA
