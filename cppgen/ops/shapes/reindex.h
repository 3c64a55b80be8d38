#pragma once
#include <optional>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::ops {

// The index, in a row-major tensor of shape `from`, of the element at index `at` of the same data viewed as shape `to`.
// Dimensions are matched in the smallest groups with equal products, so dimensions that a reshape does not change keep
// their own index.
std::vector<IndexExpr> reshaped_index(const Shape& from, const Shape& to, const std::vector<IndexExpr>& at);

// Row-major position of an index in a shape.
IndexExpr linear_index(const Shape&, const std::vector<IndexExpr>& at);

// a / b where the factors of b occur in a; nullopt if that cannot be shown.
std::optional<IndexExpr> exact_quotient(const Shape& dividend, const Shape& divisor);

}  // namespace cppgen::ops
