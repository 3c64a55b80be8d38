#pragma once
#include "cppgen/ir/program.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/tuning.h"

namespace cppgen::schedule {

// Divides the rows of a contraction with padding among tiles. A tap that lies outside for all rows of a tile need not
// be multiplied. So where it is cheaper, tiles hold rows of one line of the image, and the columns at the border, whose
// windows reach outside, get tiles of their own. All of `c` but the tiling must be filled in.
RowTiling tile_rows(const ir::Program&, const TileContraction& c, const Tuning&);

}  // namespace cppgen::schedule
