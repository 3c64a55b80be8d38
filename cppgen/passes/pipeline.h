#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// All graph passes in their only order: an imported graph becomes a typed, smaller one with the same results. The graph
// is verified after each pass. UserError: operators that are not supported (all of them at once), types that cannot be
// inferred.
void run_passes(Graph&, const PassOptions& = {});

// The names of the passes that are needed, or of those that are not, in the order in which they first run.
std::vector<std::string> pass_names(bool needed);

}  // namespace cppgen::passes
