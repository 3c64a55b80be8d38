#include "vec/avx512/vec.h"
#include "vec/generic/finished_tile_body.h"

namespace vec::avx512 {
extern const FinishedTiles finished_tiles;
const FinishedTiles finished_tiles = FinishedTilesOfRows<28, 14, 9>();
}  // namespace vec::avx512
