#pragma once
#include <string>
#include <vector>

#include "cppgen/ir/index/index_expr.h"

namespace cppgen::ir {

// Bounds on the symbols under which a = b; empty if none are found or the two are already equal. If one operand of each
// min and max makes them equal, the bounds state that these are the least and greatest: min(S, 4) = S if S <= 4.
// Otherwise, if they are equal for some values and this depends on a division, a <= b and b <= a: 2 * (H / 2) = H.
std::vector<IndexBound> bounds_for_equality(IndexExpr a, IndexExpr b);

// "N <= 4"; "2 * floordiv(H, 2) = H" if the opposite is among all bounds.
std::string to_string(const IndexBound&, const std::vector<IndexBound>& all);

}  // namespace cppgen::ir
