#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// infer_types. Where a node needs two dimensions to be equal that the inputs' declarations do not relate - a mask of M
// keys added to scores of P + S, N rows reshaped to one - one of the symbols becomes what it has to be, in the types of
// the inputs, which a run checks; a warning says so. UserError of the node if no symbol of an input can be solved for.
// tests/passes/relate_dimensions_test.cpp
void infer_types_relating_dimensions(Graph&, const PassOptions&);

}  // namespace cppgen::passes
