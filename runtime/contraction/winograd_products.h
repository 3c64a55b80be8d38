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

// How rows are divided into tiles, some of which have one row more, and how many bytes each step of K prefetches.
struct PatchDivision {
  long tiles, rows = 0, larger = 0, step = kLineBytes;

  PatchDivision(long all, long most, long panel_step_bytes) : tiles((all + most - 1) / most), rows(all) {
    if (tiles == 1) return;
    constexpr long kLeastStep = 2 * kAheadStep;
    rows = all / tiles, larger = all - rows * tiles;
    const long even = ((panel_step_bytes + tiles - 1) / tiles + kLeastStep - 1) / kLeastStep * kLeastStep;
    if (even < kLineBytes) step = even;
  }
};

// Tiles whose sums are computed in short blocks.
template <int MaxRows, int Vectors>
void patch_tiles_in_blocks(const float* left, long ld, const PatchDivision& division, long terms, long K,
                           const float* panel, float* block, long distance) {
  for (long t = 0; t < division.tiles; t++) {
    const long count = division.rows + (t < division.larger ? 1 : 0);
    const void* pointers[MaxRows];
    for (long r = 0; r < count; r++, left += ld) pointers[r] = left;
    const long behind = (distance + t * K * division.step) / kLineBytes * kLineBytes;
    tile_table<MaxRows, Vectors>.functions[MaxRows + count](pointers, terms, K, panel, block, Vectors * kLanes,
                                                            distance == 0 ? 0 : behind + division.step / kAheadStep);
    block += count * Vectors * kLanes;
  }
}

template <int MaxRows, int Vectors>
void patch_products(const float* left, long ld, long rows, long terms, long K, const float* panel, float* block,
                    long distance) {
  constexpr long kColumns = Vectors * kLanes;
  const PatchDivision division(rows, MaxRows, kColumns * long(sizeof(float)));
  if (terms > 0) return patch_tiles_in_blocks<MaxRows, Vectors>(left, ld, division, terms, K, panel, block, distance);
  const long count = division.rows, larger = division.larger;
  vec::BytesAhead ahead = {(const char*)panel + distance, distance == 0 ? 0 : division.step};
  const auto& table = patch_table<MaxRows, Vectors>.functions;
  if (larger > 0) table[count + 1](left, ld, larger, K, panel, block, ahead);
  const long done = larger * (count + 1);
  table[count](left + done * ld, ld, division.tiles - larger, K, panel, block + done * kColumns, ahead);
}

}  // namespace cppgen::rt::TILE_ISA
