#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Brings nodes of a typed graph into one form, so that later passes and the schedule see fewer of them:
// - what changes nothing is skipped: Identity, Dropout at inference, Cast to the same type, Reshape, Expand, Transpose,
//   Pad, Slice, Tile, Concat, Sum, Max, Min and Mean that give their input back, and x + -0, x - 0, x * 1, x / 1, x ^
//   1;
// - Squeeze, Unsqueeze, Flatten, Reshape, and Transpose that moves only dimensions of extent 1, become Reshape with a
//   constant shape; Reshape of Reshape and Transpose of Transpose become one;
// - Sum of two becomes Add; division by a power of two becomes multiplication where that is exact.
// All are exact in every bit. Dead nodes are left behind. tests/passes/canonicalize_test.cpp
void canonicalize(Graph&);

}  // namespace cppgen::passes
