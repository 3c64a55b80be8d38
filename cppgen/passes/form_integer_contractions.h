#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Conv, MatMul and Gemm of dequantized bytes become ConvInteger and MatMulInteger, with the scales and the bias behind
// the exact sum:
//   op(DequantizeLinear(x), DequantizeLinear(w)) + bias = Cast(op on bytes) * (x_scale * w_scale) + bias
// The left operand has one scale, the right one or one for each column (output channel). Refused: sums that might not
// fit 32 bits, scales along other axes, biases of a Conv that are no constants, a transposed left operand of Gemm,
// parameters that are no constants (with `frozen` false: initializers).
void form_integer_contractions(Graph&, bool frozen);

// Whether the sum of products of bytes fits 32 bits whatever the bytes are: the depth is known and small enough.
bool sum_fits(const Graph&, ValueId right, bool convolution, bool transposed = false);

}  // namespace cppgen::passes
