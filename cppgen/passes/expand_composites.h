#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Operators of com.microsoft that optimisers write for several of ONNX become these again: QAttention (a quantized
// projection in front of MultiHeadAttention), NhwcMaxPool, QLinearConv and QLinearAveragePool (with channels last),
// QLinearWhere, GatherBlockQuantized (rows of a quantized table), MatMulNBits with an order of its rows. Needs no
// types. A form that cannot be expressed is left alone, so the support check names it.
// tests/passes/expand_composites_test.cpp
void expand_composites(Graph&);

}  // namespace cppgen::passes
