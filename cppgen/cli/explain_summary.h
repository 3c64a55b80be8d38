#pragma once
#include <string>

#include "cppgen/cli/command_options.h"
#include "cppgen/flow/explain.h"
#include "runtime/base/json_text.h"

namespace cppgen {

// The first lines of `explain`: what the model becomes, what it takes, and which steps take most.
std::string summary_text(const ExplainOptions&, const Explanation&);

// The same as fields of a JSON object.
void write_summary(Json&, const Explanation&);

}  // namespace cppgen
