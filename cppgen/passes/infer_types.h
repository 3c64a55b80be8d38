#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// Gives every value a type, node by node. What turns out constant is folded on the way (known shape values, and small
// results of constants), since later types may depend on it: a Resize by a computed float scale, say. UserError naming
// the node if a type cannot be found. tests/passes/infer_types_test.cpp
void infer_types(Graph&, const PassOptions&);

}  // namespace cppgen::passes
