#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Tiles over weights of few bits (ir/n_bits.h): constants, which are packed as they are, and rows whose depth is
// contiguous.
Engine n_bit_engine();

}  // namespace cppgen::schedule
