#pragma once
#include <cstdint>

namespace cppgen::schedule {

// The numbers of predicted times (costs.def). They decide which of several right ways is taken, never results.
struct Costs {
#define CPPGEN_COST(type, name, value, unit, text, source) type name = value;
#include "cppgen/schedule/costs.def"
};
inline constexpr Costs kCosts;

}  // namespace cppgen::schedule
