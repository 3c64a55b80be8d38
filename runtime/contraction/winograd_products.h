// The products of many patches with a panel, for translation units that include tile_body.h before. For what they
// compute see PatchProducts in runtime/contraction/tiles.h.
#pragma once

#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {

// Tiles of so many rows, which follow each other.
using PatchTiles = void (*)(const float* left, long ld, long tiles, long terms, long K, const float* panel,
                            float* block, vec::BytesAhead& ahead);

// Adds rows of sums that follow each other in memory.
template <int Rows, int Vectors>
TILE_FN void add_rows(const float* from, float* to) {
  for (int i = 0; i < Rows * Vectors; i++) store(to + i * kLanes, load(to + i * kLanes) + load(from + i * kLanes));
}

template <int Rows, int Vectors>
VEC_KEEPS_REGISTERS void patch_tiles(const float* left, long ld, long tiles, long terms, long K, const float* panel,
                                     float* block, vec::BytesAhead& ahead) {
  constexpr int kColumns = Vectors * kLanes, kSlice = vec::slice_columns(kColumns);
  alignas(sizeof(Vector)) float group_sums[Rows * kColumns];
  vec::BytesAhead panel_ahead = ahead;
  vec::NothingAhead nothing;
  for (long t = 0; t < tiles; t++, left += Rows * ld, block += Rows * kColumns) {
    vec::SteppedRows<Rows, float> rows(left, ld);
    vec::PanelSteps<TileUnit, Vectors, float> slice{panel, K * kSlice};
    long rest = K;
    do {  // once without products, whose sums are 0
      float* const to = rest == K ? block : group_sums;
      for (long b = 0; b == 0 || (b < kPatchBlocks && rest > 0); b++, rest -= terms) {
        vec::Sums<TileUnit, Rows, Vectors> sums;
        const long steps = rest < terms ? rest : terms;
        vec::add_products(sums, steps, slice, rows, panel_ahead, nothing);
        slice.advance(steps);
        if (b == 0)
          store_sums<false>(sums, to, kColumns);
        else
          store_sums<true>(sums, to, kColumns);
      }
      if (to != block) add_rows<Rows, Vectors>(to, block);
    } while (rest > 0);
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
  // Some tiles have one row more than the others.
  const long tiles = (rows + MaxRows - 1) / MaxRows, count = rows / tiles, larger = rows - count * tiles;
  vec::BytesAhead ahead = {(const char*)(panel + K * kColumns), bytes_ahead_of_step(kColumns * kBytes, tiles)};
  const auto& table = patch_table<MaxRows, Vectors>.functions;
  if (larger > 0) table[count + 1](left, ld, larger, terms, K, panel, block, ahead);
  const long done = larger * (count + 1);
  table[count](left + done * ld, ld, tiles - larger, terms, K, panel, block + done * kColumns, ahead);
}

}  // namespace cppgen::rt::TILE_ISA
