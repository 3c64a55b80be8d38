// The table of tiles over prepared blocks of up to 32 rows, for translation units that define TILE_ISA.
#pragma once

#include "runtime/contraction/row_table.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt::TILE_ISA {

constexpr int kMostBlockRows = 32;

template <TileFunction Tile, TileFunction Adding = nullptr>
constexpr RowTable<TileFunction, kMostBlockRows, 2> block_table([](auto) {
  return RowFunctions<TileFunction, 2>{Tile, Adding};
});

}  // namespace cppgen::rt::TILE_ISA
