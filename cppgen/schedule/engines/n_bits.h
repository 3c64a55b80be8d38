#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Runs products with weights of few bits (ir/n_bits.h) on tiles that widen them in registers. The weights must be
// constants, which are packed as they are, and the depth of the rows contiguous.
Engine n_bit_engine();

}  // namespace cppgen::schedule
