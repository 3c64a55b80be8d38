#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Whether the engine of libxsmm supports a contraction, if libxsmm's vectors have so many float32 lanes; 0: it has no
// kernels for this CPU.
FusionDecision xsmm_supports(const Contraction&, const Options&, const Target&, int xsmm_lanes);

}  // namespace cppgen::schedule
