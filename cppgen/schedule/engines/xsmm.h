#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// libxsmm's kernels: the right operand is packed into panels as for tiles; an image that is read with padding is copied
// into a larger one first.
Engine xsmm_engine();

// `xsmm_lanes`: float32 lanes of the vectors that libxsmm uses, 0 if it has no kernels.
FusionDecision xsmm_supports(const Contraction&, const Target&, int xsmm_lanes);

}  // namespace cppgen::schedule
