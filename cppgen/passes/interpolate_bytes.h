#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Between a DequantizeLinear and QuantizeLinears, Resize interpolates the bytes as they are stored, and the zero point
// and the scale follow it, because weights add up to 1. Bytes times weights that are quarters, as for twice the size,
// have exact sums, so what lies between two steps is rounded to even; sums of dequantized numbers are rounded by
// chance. tests/passes/interpolate_bytes_test.cpp
void interpolate_bytes(Graph&, bool frozen);

}  // namespace cppgen::passes
