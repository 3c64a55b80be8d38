#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Returns whether libxsmm's engine supports a contraction. `xsmm_lanes` is the number of float32 lanes of libxsmm's
// vectors; 0: it has no kernels for this CPU. What follows from the contraction and the target is refused first, so
// that such reasons do not depend on the machine.
FusionDecision xsmm_supports(const Contraction&, const Options&, const Target&, int xsmm_lanes);

}  // namespace cppgen::schedule
