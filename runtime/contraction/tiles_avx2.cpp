#include "runtime/contraction/tiles.h"
#include "vec/avx2/vec.h"

#define TILE_ISA avx2
#include "runtime/contraction/tile_vec.h"

namespace cppgen::rt::avx2 {
const TileSet tiles_f32 = tile_set<6, 2>();
const StridedTileSet strided_f32 = strided_set<6, 2>();
const TileSet tiles_f32_wide = tile_set<4, 3>();
const TileSet tiles_f32_narrow = tile_set<12, 1>();
}  // namespace cppgen::rt::avx2
