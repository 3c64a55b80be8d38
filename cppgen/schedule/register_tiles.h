#pragma once
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// Whether a contraction's tiles become part of its kernel, so that the epilogue takes the sums from registers instead
// of from memory: worth its code where the depth is short and the epilogue simple. Sums are the same either way. Rows
// may then be tiled by image lines, so that the rows of a tile lie at even distances.
FusionDecision choose_register_tiles(const ir::Program&, const Layouts&, const Target&, FusedKernel&);

}  // namespace cppgen::schedule
