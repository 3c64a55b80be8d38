#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Runs contractions on oneDNN's primitives: products of strided operands, and convolutions of channels-last images with
// constant weights.
Engine onednn_engine();

}  // namespace cppgen::schedule
