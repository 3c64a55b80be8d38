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

// How rows are divided into tiles, some of which have one row more.
struct PatchDivision {
  long tiles, rows, larger = 0;

  PatchDivision(long all, long most) : tiles((all + most - 1) / most), rows(all) {
    if (tiles > 1) rows = all / tiles, larger = all - rows * tiles;
  }
};

// Tiles whose sums are computed in short blocks.
template <int MaxRows, int Vectors>
void patch_tiles_in_blocks(const float* left, long ld, const PatchDivision& division, long terms, long K,
                           const float* panel, float* block, long step) {
  constexpr long kColumns = Vectors * kLanes, kBytes = sizeof(float);
  for (long t = 0; t < division.tiles; t++) {
    const long count = division.rows + (t < division.larger ? 1 : 0);
    const void* pointers[MaxRows];
    for (long r = 0; r < count; r++, left += ld) pointers[r] = left;
    const long behind = (K * kColumns * kBytes + t * K * step) / kLineBytes * kLineBytes;
    tile_table<MaxRows, Vectors>.functions[MaxRows + count](pointers, terms, K, panel, block, kColumns,
                                                            behind + step / kAheadStep);
    block += count * kColumns;
  }
}

template <int MaxRows, int Vectors>
void patch_products(const float* left, long ld, long rows, long terms, long K, const float* panel, float* block) {
  constexpr long kColumns = Vectors * kLanes, kBytes = sizeof(float);
  const PatchDivision division(rows, MaxRows);
  const long step = bytes_ahead_of_step(kColumns * kBytes, division.tiles);
  if (terms > 0) return patch_tiles_in_blocks<MaxRows, Vectors>(left, ld, division, terms, K, panel, block, step);
  const long count = division.rows, larger = division.larger;
  vec::BytesAhead ahead = {(const char*)(panel + K * kColumns), step};
  const auto& table = patch_table<MaxRows, Vectors>.functions;
  if (larger > 0) table[count + 1](left, ld, larger, K, panel, block, ahead);
  const long done = larger * (count + 1);
  table[count](left + done * ld, ld, division.tiles - larger, K, panel, block + done * kColumns, ahead);
}

}  // namespace cppgen::rt::TILE_ISA
