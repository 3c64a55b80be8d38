#include "runtime/contraction/emulated_tile_unit.h"

#define TILE_ISA emulated_amx
#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {
TILE_FN Floats fused(Floats a, Floats b, Floats c) {
  for (int i = 0; i < kLanes; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}
TILE_FN void store_rounded(unsigned short* p, Floats x, Floats y) {
  store_upper(p, rounded_to_even(x), rounded_to_even(y));
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_block_tile.h"
#include "runtime/contraction/split_tile.h"

namespace cppgen::rt::emulated_amx {
const TileSet tiles_split_bf16 = split_tile_set<unsigned short, 1, EmulatedTileUnit>();
const TileSet tiles_split1 = split_tile_set<float, 1, EmulatedTileUnit>();
const TileSet tiles_split2 = split_tile_set<float, 2, EmulatedTileUnit>();
const TileSet tiles_split3 = split_tile_set<float, 3, EmulatedTileUnit>();
const TileSet tiles_u8s8_block = byte_block_set<EmulatedTileUnit, false>();
const TileSet tiles_s8s8_block = byte_block_set<EmulatedTileUnit, true>();
}  // namespace cppgen::rt::emulated_amx
