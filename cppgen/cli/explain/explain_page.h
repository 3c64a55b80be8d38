#pragma once
#include <string>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/flow/explain/explain.h"
#include "cppgen/support/interrupt.h"

namespace cppgen {

// The page of `explain --html`; with --profile, it compiles the model and measures it. May change the explanation's
// costs to those of the sizes that ran.
std::string explain_page(const ExplainOptions&, Explanation&, const CancelToken&);

}  // namespace cppgen
