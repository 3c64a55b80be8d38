#pragma once
#include <string>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/flow/explain/explain.h"

namespace cppgen {

// The first lines of `explain`: what the model becomes, what it takes, and which steps take most.
std::string summary_text(const ExplainOptions&, const Explanation&);

}  // namespace cppgen
