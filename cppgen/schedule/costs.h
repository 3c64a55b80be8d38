#pragma once
#include <cstdint>

namespace cppgen::schedule {

// The numbers of predicted times (costs.def). They decide which of several right ways is taken, never results.
struct Costs {
#define CPPGEN_COST(type, name, value, unit, text, source) type name = value;
#include "cppgen/schedule/costs.def"
};
inline constexpr Costs kCosts;

// Calls f(name, value, unit, text, source) with each of them in the order of their rows.
template <class F>
void fields(const Costs& costs, const F& f) {
#define CPPGEN_COST(type, name, value, unit, text, source) f(#name, costs.name, unit, text, source);
#include "cppgen/schedule/costs.def"
}

}  // namespace cppgen::schedule
