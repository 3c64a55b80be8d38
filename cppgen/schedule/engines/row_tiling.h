#pragma once
#include "cppgen/ir/program.h"
#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Which rows of a contraction with padding stand in a tile together: taps that lie outside for all rows of a tile need
// not be multiplied, so tiles are cut from image rows, and the columns at the border, whose windows reach outside, get
// tiles of their own where that is cheaper. Expects everything of `c` but the tiling.
RowTiling tile_rows(const ir::Program&, const TileContraction& c);

}  // namespace cppgen::schedule
