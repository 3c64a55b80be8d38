#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// QLinearConv and QLinearMatMul with constant parameters become DequantizeLinear, Conv or MatMul, QuantizeLinear, so
// that one set of rules serves both ways to say it. Results change by rounding: at most by one quantum where the scaled
// sum is next to the middle between two. Left as they are: sums that might not fit 32 bits, parameters that are no
// constants (with `frozen` false: initializers), zero points of weights for each channel of a QLinearConv.
void expand_quantized_operators(Graph&, bool frozen);

}  // namespace cppgen::passes
