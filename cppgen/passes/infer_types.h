#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// Gives every value a type, node by node. What turns out constant is folded on the way (known shape values, and small
// results of constants), since later types may depend on it: a Resize by a computed float scale, say. UserError naming
// every node whose type cannot be found, but for those that need what it computes. A node whose dimensions are not
// equal ends the search with UnequalDimensions, unless `dimensions_together`. tests/passes/infer_types_test.cpp
void infer_node_types(Graph&, const PassOptions&, bool dimensions_together = false);

}  // namespace cppgen::passes
