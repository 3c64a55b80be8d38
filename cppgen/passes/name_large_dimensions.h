#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Where a dimension of what the node computes is a large expression (ir::is_small), readers get it reshaped to its own
// shape, as values that only a run knows: so they see symbols, which the host binds (Op::resolve). Elements of Shape
// are such values where they are large. tests/passes/infer_types_test.cpp
void name_large_dimensions(Graph&, NodeId);

}  // namespace cppgen::passes
