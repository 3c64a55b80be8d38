#pragma once
#include <vector>

#include "cppgen/ir/index_expr.h"

namespace cppgen::ir {

// Bounds on the symbols under which a = b, none if there are none to be found, or the two are equal already. Where one
// operand of each min and max makes them equal, that these are the least and greatest: min(S, 4) = S if S <= 4.
// Otherwise, where they are equal for some values and a division decides it, a <= b and b <= a: 2 * (H / 2) = H.
std::vector<IndexBound> bounds_for_equality(IndexExpr a, IndexExpr b);

}  // namespace cppgen::ir
