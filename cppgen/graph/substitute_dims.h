#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen {

// Replaces symbols in all types and contents, also of bodies.
void substitute_dims(Graph&, const ir::IndexMap&);

}  // namespace cppgen
