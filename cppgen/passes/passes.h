#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// The passes, declared by their table.
#define CPPGEN_GRAPH_PASS(name, ...) void name(Graph&, const PassOptions& = {});
#include "cppgen/passes/passes.def"

}  // namespace cppgen::passes
