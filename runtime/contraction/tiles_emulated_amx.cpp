#include "runtime/contraction/emulated_tile_unit.h"

#define TILE_ISA emulated_amx
#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {
TILE_FN Floats fused(Floats a, Floats b, Floats c) {
  for (int i = 0; i < kLanes; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/split_tile.h"

namespace cppgen::rt::emulated_amx {
const TileSet tiles_split_bf16 = split_tile_set<unsigned short, 1, EmulatedTileUnit>();
const TileSet tiles_split1 = split_tile_set<float, 1, EmulatedTileUnit>();
const TileSet tiles_split2 = split_tile_set<float, 2, EmulatedTileUnit>();
const TileSet tiles_split3 = split_tile_set<float, 3, EmulatedTileUnit>();
}  // namespace cppgen::rt::emulated_amx
