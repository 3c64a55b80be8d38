#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// Infers the type of every value, node by node. Values that turn out to be constant are folded immediately (known shape
// values, and small results of constants), because later types may depend on them, such as that of a Resize by a
// computed float scale. UserError naming every node whose type cannot be inferred, except for those that depend on such
// a node. A node with unequal dimensions ends inference with UnequalDimensions, unless `dimensions_together`.
// tests/passes/infer_types_test.cpp
void infer_node_types(Graph&, const PassOptions&, bool dimensions_together = false);

}  // namespace cppgen::passes
