#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace cppgen::schedule {

struct Target;

// The numbers of predicted times (costs.def). They decide which of several right ways is taken, never results.
struct Costs {
#define CPPGEN_COST(type, name, value, unit, text, source) type name = value;
#include "cppgen/schedule/costs.def"
  bool operator==(const Costs&) const = default;
};

// Those of a target: the usual ones, which are the values of the rows, unless it has others.
const Costs& costs_of(const Target&);

// Values may be from a sixteenth to sixteen times the usual one.
constexpr double kMostCostFactor = 16;

// The usual numbers with other values of some rows: "NAME=VALUE,NAME=VALUE". UserError for anything else.
Costs costs_with(std::string_view text);
// The numbers that are not the usual ones, in this format.
std::string unusual_costs(const Costs&);

}  // namespace cppgen::schedule
