#pragma once
#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// EMULATE_PRECISION_CASTS: makes the rounding of each value that is stored in a narrow float type a part of the value,
// so that it stays where fusion keeps the value out of memory, and fused results are those of one operator after the
// other. It runs before any fusion, and the program means the same. Attention as one kernel, which does not round its
// weights, is turned off where there are narrow floats.
void keep_precision_casts(ir::Program&, Options&);

}  // namespace cppgen::schedule
