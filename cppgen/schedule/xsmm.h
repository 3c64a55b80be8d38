#pragma once
#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/library_contraction.h"

namespace cppgen::schedule {

// Contractions on libxsmm's kernels: the right operand packed into panels as for tiles, an image that is read with
// padding copied into a larger one first.

// `xsmm_lanes`: float32 lanes of the vectors that libxsmm uses, 0 if it has no kernels.
FusionDecision xsmm_supports(const Program&, const Layouts&, const LoopNest&, const Target&, int xsmm_lanes);

// Brings a contraction that it supports into the form of the runtime's function.
LibraryPreparation prepare_xsmm(Program&, Layouts&, LoopNest& nest, const Options&);

}  // namespace cppgen::schedule
