#include "runtime/contraction/amx_tile_unit.h"
#include "runtime/contraction/split_tiles.h"

#define TILE_ISA amx
#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {
TILE_FN Floats fused(Floats a, Floats b, Floats c) {
  constexpr int kCurrentRounding = 4;
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, kCurrentRounding);
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/split_prepare.h"
#include "runtime/contraction/split_tile.h"

namespace cppgen::rt::amx {
const SplitTiles split_tiles[4] = {{},
                                   {prepare_split<1>, split_tile<1, AmxTileUnit>},
                                   {prepare_split<2>, split_tile<2, AmxTileUnit>},
                                   {prepare_split<3>, split_tile<3, AmxTileUnit>}};
}  // namespace cppgen::rt::amx
