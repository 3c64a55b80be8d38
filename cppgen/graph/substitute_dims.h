#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen {

// Replaces symbols in all types and contents, including those of bodies.
void substitute_dims(Graph&, const ir::IndexMap&);

}  // namespace cppgen
