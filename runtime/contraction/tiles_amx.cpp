#include <immintrin.h>

#include "runtime/contraction/amx_tile_unit.h"

#define TILE_ISA amx
#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {
TILE_FN Floats fused(Floats a, Floats b, Floats c) {
  constexpr int kCurrentRounding = 4;
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, kCurrentRounding);
}
TILE_FN void store_rounded(unsigned short* p, Floats x, Floats y) {
  *(HalvesInMemory*)p = (Halves)_mm512_cvtne2ps_pbh(y, x);
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_block_tile.h"
#include "runtime/contraction/split_tile.h"

namespace cppgen::rt::amx {
const TileSet tiles_split_bf16 = split_tile_set<unsigned short, 1, AmxTileUnit>();
const TileSet tiles_split1 = split_tile_set<float, 1, AmxTileUnit>();
const TileSet tiles_split2 = split_tile_set<float, 2, AmxTileUnit>();
const TileSet tiles_split3 = split_tile_set<float, 3, AmxTileUnit>();
const TileSet tiles_u8s8_block = byte_block_set<AmxTileUnit, false>();
const TileSet tiles_s8s8_block = byte_block_set<AmxTileUnit, true>();
}  // namespace cppgen::rt::amx
