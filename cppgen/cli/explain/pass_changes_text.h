#pragma once
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/flow/explain/pass_changes.h"

namespace cppgen {

// The text that `explain --passes` prints: a table of the passes, and what each changed.
std::string pass_changes_text(const std::vector<PassChange>&);
std::string pass_changes_json(const ExplainOptions&, const std::vector<PassChange>&);

}  // namespace cppgen
