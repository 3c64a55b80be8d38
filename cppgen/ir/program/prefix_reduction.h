#pragma once
#include <optional>

#include "cppgen/ir/program/program.h"

namespace cppgen::ir {

// Reductions over a growing part of a loop, such as a cumulative sum: at point a of the loop `outer`, they combine the
// values at 0 .. a - shift of the reduced loop, or at a + shift .. last if `reverse`. Each result is that of the point
// before and one value more, so the interpreter need not begin again at each point.
struct PrefixReduction {
  int outer;  // number of the loop
  int64_t shift;
  bool reverse;
  bool operator==(const PrefixReduction&) const = default;
};

// nullopt unless all reductions of the nest are of this form, along the same loop. tests/ir/prefix_reduction_test.cpp
std::optional<PrefixReduction> prefix_reduction(const LoopNest&);

}  // namespace cppgen::ir
