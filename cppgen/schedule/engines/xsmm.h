#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Runs contractions on libxsmm's kernels. The right operand is packed into panels as for tiles, and an image that is
// read with padding is copied into a larger one first.
Engine xsmm_engine();

// The engine's answer for a libxsmm that uses vectors of so many float32 lanes; 0 if it has no kernels for this CPU.
FusionDecision xsmm_supports(const Contraction&, const Options&, const Target&, int xsmm_lanes);

}  // namespace cppgen::schedule
