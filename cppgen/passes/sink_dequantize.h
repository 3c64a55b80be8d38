#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Operators that only move elements (moves_elements in quantization.h) run on the bytes: DequantizeLinear of one scale
// goes behind them, and behind a Transpose one with scales along an axis, too. A QuantizeLinear that then follows a
// DequantizeLinear with the same parameters gives the bytes back and goes away, which is exact; the other order is not
// and stays.
void sink_dequantize(Graph&, bool frozen);

}  // namespace cppgen::passes
