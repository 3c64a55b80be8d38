#pragma once
#include <span>
#include <string>

#include "cppgen/graph/graph.h"
#include "runtime/values/value.h"

namespace cppgen {

// The differences that passes may cause by rounding, by the types and operators of the graph: the differences of
// floats, relative to the greatest element of an output, and of integers.
struct RoundingLimits {
  double floats = 1e-3;
  double integers = 0;
};
RoundingLimits rounding_limits(const Graph&);

// InternalError naming the pass and the first output that differs.
void require_equal(const std::string& pass, std::span<const std::string> names, std::span<const rt::Value> before,
                   std::span<const rt::Value> after, const RoundingLimits&);

bool draws_random_numbers(const Graph&);

}  // namespace cppgen
