#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// MatMul(a, DequantizeLinear(w)), where w is constant, of two dimensions, perhaps transposed behind its dequantization,
// becomes MatMulNBits, which reads the weights as few bits: of int4 and uint4 with any scales, of int8 and uint8 with
// scales for blocks of the depth. Blocks are powers of two, at least 16; scales have the type of a. Refused: scales
// along other axes, parameters that are no constants (with `frozen` false: initializers).
void form_n_bit_products(Graph&, bool frozen);

}  // namespace cppgen::passes
