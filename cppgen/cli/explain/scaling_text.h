#pragma once
#include <string>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/flow/explain/explain.h"

namespace cppgen {

// The predicted times on several numbers of threads, which Explanation::scaling has, what steps lose on the most of
// them, and the machine for which this holds.
std::string scaling_text(const ExplainOptions&, const Explanation&);

}  // namespace cppgen
