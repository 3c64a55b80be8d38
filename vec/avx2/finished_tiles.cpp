#include "vec/avx2/vec.h"
#include "vec/generic/finished_tile_body.h"

namespace vec::avx2 {
extern const FinishedTiles finished_tiles;
const FinishedTiles finished_tiles = FinishedTilesOfRows<12, 6, 4>();
}  // namespace vec::avx2
