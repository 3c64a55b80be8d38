#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// Runs nodes whose inputs are all constants, with fold_node's bounds: weights that are transposed, reshaped, scaled.
// Results that are much larger than what they are made from (Expand, ConstantOfShape) stay computed.
// With `dequantize` false, so do the results of DequantizeLinear. tests/passes/fold_constants_test.cpp
void fold_constants(Graph&, const PassOptions&, bool dequantize = true);

}  // namespace cppgen::passes
