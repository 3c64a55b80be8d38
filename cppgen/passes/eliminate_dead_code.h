#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Removes nodes that no output depends on, and values that nothing mentions (their data is released); ids change.
// Inputs of the graph stay. Needs no types.
// tests/passes/eliminate_dead_code_test.cpp
void eliminate_dead_code(Graph&);

}  // namespace cppgen::passes
