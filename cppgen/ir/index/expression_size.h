#pragma once
#include "cppgen/ir/index/index_expr.h"

namespace cppgen::ir {

// Arithmetic on sizes that repeatedly refers to its own results yields expressions of exponential size. Before an
// expression is kept for a dimension or an element, it is tested whether it is small; if not, it becomes a number that
// is known only at run time. tests/rules/index_rules_test.cpp
inline constexpr uint32_t kLargestExpression = 128;
bool is_small(IndexExpr);  // maximum number of nodes of the expression as a tree

}  // namespace cppgen::ir
