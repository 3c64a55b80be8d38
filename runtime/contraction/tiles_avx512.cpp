#include "runtime/contraction/tiles.h"
#include "vec/avx512/vec.h"

#define TILE_ISA avx512
#include "runtime/contraction/tile_vec.h"

namespace cppgen::rt::avx512 {
const TileFunction tile_f32[kTileRows + 1] = {nullptr,  tile<1>,  tile<2>,  tile<3>,  tile<4>,
                                              tile<5>,  tile<6>,  tile<7>,  tile<8>,  tile<9>,
                                              tile<10>, tile<11>, tile<12>, tile<13>, tile<14>};
}  // namespace cppgen::rt::avx512
