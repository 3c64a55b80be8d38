#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// QuantizeLinear divides by its scale. Where what it quantizes was scaled by constants just before - scaled integer
// sums, dequantized bytes, sums and Relus of these - the division goes into those constants, and the QuantizeLinear has
// the scale 1, for which it does not divide; elsewhere but for inputs it multiplies by the reciprocal. Each factor is
// rounded once more: where the quotient is next to the middle between two quanta, the other one may result. A Relu
// before a QuantizeLinear whose least number stands for zero goes away, which is exact.
void fold_requantization(Graph&, bool frozen);

}  // namespace cppgen::passes
