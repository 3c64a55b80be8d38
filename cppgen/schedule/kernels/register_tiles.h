#pragma once
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// Makes a contraction's tiles part of its kernel, so that the epilogue takes the sums from registers instead of from
// memory, where this is worth its code: the depth is short and the epilogue simple. Sums are the same either way. Rows
// may then be tiled by image lines, so that the rows of a tile lie at even distances.
void choose_register_tiles(Schedule&, const Target&, const Tuning&);

}  // namespace cppgen::schedule
