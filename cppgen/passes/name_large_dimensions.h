#pragma once
#include "cppgen/passes/node_order.h"

namespace cppgen::passes {

// If a dimension of the node's result is a large expression (ir::is_small), readers get the result reshaped to its own
// shape, whose values count as known only at run time: so they see symbols, which the host binds (Op::resolve). Large
// elements of Shape are treated in the same way. tests/passes/infer_types_test.cpp
void name_large_dimensions(Graph&, NodeOrder&, NodeId);

}  // namespace cppgen::passes
