#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// oneDNN's primitives: matmul over strided operands, and convolutions of channels-last images with constant weights.
Engine onednn_engine();

}  // namespace cppgen::schedule
