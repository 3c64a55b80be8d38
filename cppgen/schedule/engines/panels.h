#pragma once
#include <vector>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Packs the right operand of a contraction into panels of the format and width that `c` has: a constant when the model
// is compiled, unless WEIGHT_PREPACK is 0, others by a nest before the contraction. Fills in the members of `c` about
// panels, and makes the prepared nest read them.
void pack_right_operand(Program&, Layouts&, TileContraction& c, const Options&, Prepared&);

// Tells whether tiles of float32 should read the right operand in place (TileContraction::right_in_place): it is no
// constant, its columns are contiguous, and its rows do not evict each other from the second-level cache before all
// tiles of rows have read them.
bool right_stays_in_place(const Program&, const Layouts&, const TileContraction&, const Target&);

// Makes the tiles read it there.
void read_in_place(TileContraction&);

// The offsets of all points of loops with constant extents and strides, with the last loop the fastest. They begin with
// `first`.
std::vector<int64_t> offsets_of(const std::vector<ir::Loop>& loops, IndexExpr offset, int64_t first);

}  // namespace cppgen::schedule
