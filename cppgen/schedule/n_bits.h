#pragma once
#include <optional>

#include "cppgen/ir/n_bits.h"
#include "cppgen/schedule/tiles.h"
#include "runtime/contraction/pack_n_bits.h"

namespace cppgen::schedule {

// Whether tiles over weights of few bits (ir/n_bits.h) can run the contraction: constant weights, which are packed, and
// rows whose depth is contiguous.
FusionDecision n_bits_support(const Program&, const Layouts&, const LoopNest&, const Options&, const Target&);

// The weights' bytes and those of their scales and zeros, all constants.
rt::NBitSource source_of(const Program&, const ir::NBitWeights&);

// Prepares such a contraction, as prepare_tiles does others.
TilePreparation prepare_n_bits(Program&, Layouts&, LoopNest&, const Target&);

}  // namespace cppgen::schedule
