#pragma once
#include <optional>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::ops {

// Sizes that exporters compute in floating point: Cast(Floor(Cast(n) / 4.0)) is floordiv(n, 4). The elements of the
// integers that a Cast of such a value yields; nullopt if it is anything else, or if rounding could change the result
// for sizes below 2^24. tests/idioms/sizes.py
std::optional<std::vector<IndexExpr>> rounded_sizes(const Graph&, const Node& cast);

}  // namespace cppgen::ops
