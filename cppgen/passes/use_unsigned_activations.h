#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Activations quantized to int8 become uint8, 128 more with zero points 128 more, where all that reads them can follow:
// the instructions for products of bytes want unsigned ones on the left. Exact. Left alone are activations that a
// matrix product takes on its right, and what comes from or leaves the model as int8.
void use_unsigned_activations(Graph&, bool frozen);

}  // namespace cppgen::passes
