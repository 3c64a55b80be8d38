// The products of many patches with a panel, for translation units that include tile_body.h before. For what they
// compute see PatchProducts in runtime/contraction/tiles.h.
#pragma once

#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {

// Tiles of so many rows, which follow each other.
using PatchTiles = void (*)(const float* left, long ld, long tiles, long K, const float* panel, float* block,
                            vec::BytesAhead& ahead);

template <int Rows, int Vectors>
VEC_KEEPS_REGISTERS void patch_tiles(const float* left, long ld, long tiles, long K, const float* panel, float* block,
                                     vec::BytesAhead& ahead) {
  constexpr int kColumns = Vectors * kLanes;
  vec::BytesAhead panel_ahead = ahead;
  vec::NothingAhead nothing;
  for (long t = 0; t < tiles; t++, left += Rows * ld, block += Rows * kColumns) {
    vec::Sums<TileUnit, Rows, Vectors> sums;
    vec::add_products(sums, K, panel, K * vec::slice_columns(kColumns), vec::SteppedRows<Rows, float>(left, ld),
                      panel_ahead, nothing);
    store_sums<false>(sums, block, kColumns);
  }
  ahead = panel_ahead;
}

template <int MaxRows, int Vectors>
constexpr RowTable<PatchTiles, MaxRows, 1> patch_table([](auto rows) {
  return RowFunctions<PatchTiles, 1>{patch_tiles<rows, Vectors>};
});

// Tiles whose sums are computed in short blocks.
template <int MaxRows, int Vectors>
void patch_tiles_in_blocks(const float* left, long ld, long rows, long tiles, long terms, long K, const float* panel,
                           float* block, long distance, long step) {
  for (long t = 0; t < tiles; t++) {
    const long first = rows * t / tiles, count = rows * (t + 1) / tiles - first;
    const void* pointers[MaxRows];
    for (long r = 0; r < count; r++) pointers[r] = left + (first + r) * ld;
    const long ahead = distance == 0 ? 0 : distance + t * K * step / kLineBytes * kLineBytes + step / kAheadStep;
    tile_table<MaxRows, Vectors>.functions[MaxRows + count](pointers, terms, K, panel, block + first * Vectors * kLanes,
                                                            Vectors * kLanes, ahead);
  }
}

template <int MaxRows, int Vectors>
void patch_products(const float* left, long ld, long rows, long terms, long K, const float* panel, float* block,
                    long distance) {
  constexpr long kColumns = Vectors * kLanes, kLeastStep = 2 * kAheadStep;
  const long tiles = (rows + MaxRows - 1) / MaxRows;
  const long even = (kColumns * long(sizeof(float)) + tiles - 1) / tiles;
  const long step = even > kLineBytes ? kLineBytes : (even + kLeastStep - 1) / kLeastStep * kLeastStep;
  if (terms > 0)
    return patch_tiles_in_blocks<MaxRows, Vectors>(left, ld, rows, tiles, terms, K, panel, block, distance, step);
  const long count = rows / tiles, larger = rows % tiles;  // tiles of one row more
  vec::BytesAhead ahead = {(const char*)panel + distance, distance == 0 ? 0 : step};
  const auto& table = patch_table<MaxRows, Vectors>.functions;
  if (larger > 0) table[count + 1](left, ld, larger, K, panel, block, ahead);
  const long done = larger * (count + 1);
  table[count](left + done * ld, ld, tiles - larger, K, panel, block + done * kColumns, ahead);
}

}  // namespace cppgen::rt::TILE_ISA
