#include "runtime/contraction/emulated_tile_unit.h"
#include "runtime/contraction/split_tiles.h"

#define TILE_ISA emulated_amx
#include "runtime/contraction/split_vec.h"

namespace cppgen::rt::TILE_ISA {
TILE_FN Floats fused(Floats a, Floats b, Floats c) {
  for (int i = 0; i < kLanes; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/split_prepare.h"
#include "runtime/contraction/split_tile.h"

namespace cppgen::rt::emulated_amx {
const SplitTiles split_tiles[4] = {{},
                                   {prepare_split<1>, split_tile<1, EmulatedTileUnit>},
                                   {prepare_split<2>, split_tile<2, EmulatedTileUnit>},
                                   {prepare_split<3>, split_tile<3, EmulatedTileUnit>}};
}  // namespace cppgen::rt::emulated_amx
