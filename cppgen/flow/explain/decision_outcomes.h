#pragma once
#include "cppgen/schedule/decision.h"

namespace cppgen {

// Every "yes", and each "no" that was the last word about its subject: a refusal is no outcome if the same pair was
// fused, or refused again, later, or if another engine was chosen.
schedule::DecisionLog outcomes(const schedule::DecisionLog&);

}  // namespace cppgen
