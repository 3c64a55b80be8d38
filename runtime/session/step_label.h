#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

// The labels of a plan's steps in profiles and traces, as OPS_STAMP and OPS_PREFIX say. A hash is that of the step's
// description, which depends on nothing but the compiled model.
std::vector<std::string> step_labels(const Plan&, std::string_view stamp, std::string_view prefix);

}  // namespace cppgen::rt
