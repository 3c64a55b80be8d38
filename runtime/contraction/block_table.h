// The table of tiles over prepared blocks of up to 32 rows, for translation units that define TILE_ISA.
#pragma once

#include "runtime/contraction/tiles.h"

namespace cppgen::rt::TILE_ISA {

constexpr int kMostBlockRows = 32;

// One function for every number of rows, which is part of the prepared block.
template <TileFunction Tile, TileFunction Adding>
struct BlockTable {
  TileFunction functions[2 * kMostBlockRows + 1] = {};

  constexpr BlockTable() {
    for (int rows = 1; rows <= kMostBlockRows; rows++)
      functions[rows] = Tile, functions[kMostBlockRows + rows] = Adding;
  }
};
template <TileFunction Tile, TileFunction Adding = nullptr>
constexpr BlockTable<Tile, Adding> block_table;

}  // namespace cppgen::rt::TILE_ISA
