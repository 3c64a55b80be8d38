#pragma once
#include "cppgen/ir/index_expr.h"

namespace cppgen::ir {

// Arithmetic on sizes that refers to its own results again and again makes expressions of exponential size. Whoever
// keeps an expression for a dimension or an element asks first whether it is small; one that is not becomes a number
// that only a run knows. tests/rules/index_rules_test.cpp
inline constexpr uint32_t kLargestExpression = 128;
bool is_small(IndexExpr);  // written as a tree, it has at most that many nodes

}  // namespace cppgen::ir
