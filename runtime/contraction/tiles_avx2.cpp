#include "runtime/contraction/tiles.h"
#include "vec/avx2/vec.h"

#define TILE_ISA avx2
#include "runtime/contraction/tile_vec.h"

namespace cppgen::rt::avx2 {
const TileFunction tile_f32[kTileRows + 1] = {nullptr, tile<1>, tile<2>, tile<3>, tile<4>, tile<5>, tile<6>};
}  // namespace cppgen::rt::avx2
