#include "runtime/contraction/amx_tile_unit.h"

#define TILE_ISA amx
#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {
TILE_FN Floats fused(Floats a, Floats b, Floats c) {
  constexpr int kCurrentRounding = 4;
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, kCurrentRounding);
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/split_tile.h"

namespace cppgen::rt::amx {
const TileSet tiles_split_bf16 = split_tile_set<unsigned short, 1, AmxTileUnit>();
const TileSet tiles_split1 = split_tile_set<float, 1, AmxTileUnit>();
const TileSet tiles_split2 = split_tile_set<float, 2, AmxTileUnit>();
const TileSet tiles_split3 = split_tile_set<float, 3, AmxTileUnit>();
}  // namespace cppgen::rt::amx
