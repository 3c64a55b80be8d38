#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// All graph passes in their only order: an imported graph becomes a typed, smaller one with the same results. The graph
// is verified after each pass. UserError: operators that are not supported (all of them at once), types that cannot be
// inferred.
void run_passes(Graph&, const PassOptions& = {});

// Runs one pass of this name over the graph and its bodies, and verifies the graph. UserError like run_passes.
void run_pass(const std::string& name, Graph&, const PassOptions& = {});

// A row of the table. Passes that follow infer_types need the types of all values.
struct PassRow {
  std::string name;
  bool PassOptions::*option;  // null: it always runs
  bool needs_types;
};
std::vector<PassRow> pass_rows();

// The names of the passes that are needed, or of those that are not, in the order in which they first run.
std::vector<std::string> pass_names(bool needed);

}  // namespace cppgen::passes
