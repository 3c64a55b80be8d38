#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/flow/explain/explain.h"

namespace cppgen {

bool has_node(const Explanation&, const std::string& node);  // whether a step computes it

// The numbers of the steps that --node and --kernel choose; all of them if there is no choice. UserError for a node or
// a kernel that does not exist.
std::vector<size_t> chosen_steps(const ExplainOptions&, const Explanation&);

// The text that `explain` prints: a summary and, if the options ask for more, the steps, the placement of intermediate
// values, the layouts and the outcome of each decision. With --node and --kernel there is no summary, only the steps
// chosen, and the decisions about them. UserError for a node or a kernel that does not exist.
std::string explain_text(const ExplainOptions&, const Explanation&);

}  // namespace cppgen
