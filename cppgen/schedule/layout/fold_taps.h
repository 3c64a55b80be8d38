#pragma once
#include "cppgen/ir/program.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/tuning.h"

namespace cppgen::schedule {

// A convolution with few input channels would fill only a part of each group of depth steps, or of a vector. Its input
// is copied with its padding around it and the channels innermost; then the taps along the last spatial dimension and
// the channels lie side by side, and both loops become one.
void fold_taps_into_depth(ir::Program&, const Tuning&, DecisionLog&);

}  // namespace cppgen::schedule
