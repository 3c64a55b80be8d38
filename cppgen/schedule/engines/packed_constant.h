#pragma once
#include "cppgen/schedule/kernel.h"
#include "runtime/contraction/pack_n_bits.h"

namespace cppgen::schedule {

// Writes the panels of one batch of a packed constant.
void write_panels(const Program&, const PackedConstant&, int64_t batch, char* out);

// The bytes of weights, of their scales and of their zeros, all of which are constants.
rt::NBitSource source_of(const Program&, const ir::NBitWeights&);

}  // namespace cppgen::schedule
