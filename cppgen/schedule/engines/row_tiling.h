#pragma once
#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/tuning.h"

namespace cppgen::schedule {

// Divides the rows of a contraction with padding among tiles. A tap that is outside for all rows of a tile need not be
// multiplied. So, if it is cheaper, the rows of a tile belong to one line of the image, and columns at the border,
// whose windows reach outside, have tiles of their own. All members of `c` except the tiling must be filled in.
RowTiling tile_rows(const ir::Program&, const TileContraction& c, const Tuning&);

// Returns whether no float32 weight is infinite or NaN.
bool all_finite(const ir::Buffer& weights);

}  // namespace cppgen::schedule
