#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Nodes with the same operator, attributes and inputs become one, and constants of the same type, dimensions and bytes
// become one (initializers only if `merge_initializers`: a replaceable initializer must keep its identity). Random
// operators and nodes with bodies stay. Dead nodes are left behind.
// tests/passes/eliminate_common_subexpressions_test.cpp
void eliminate_common_subexpressions(Graph&, bool merge_initializers);

}  // namespace cppgen::passes
