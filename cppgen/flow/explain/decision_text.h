#pragma once
#include <string>

#include "cppgen/schedule/decision.h"

namespace cppgen {

// Returns why pairs of nodes were or were not fused, in readable form: one line per decision, " inline yes a -> b:
// reason".
std::string decision_text(const schedule::DecisionLog&);

}  // namespace cppgen
