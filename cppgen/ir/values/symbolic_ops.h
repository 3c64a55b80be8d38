#pragma once
#include <optional>

#include "cppgen/ir/values/expr.h"

namespace cppgen::ir {

// Integer operations on values that are index expressions, with the semantics of expr.h, assuming that symbolic results
// stay within their type. nullopt if the result is not an index expression or depends on an undecided comparison.
std::optional<bool> decide(BinaryOp comparison, IndexExpr, IndexExpr);
std::optional<IndexExpr> symbolic_unary(UnaryOp, DType, IndexExpr);
std::optional<IndexExpr> symbolic_binary(BinaryOp, DType operands, IndexExpr, IndexExpr);
std::optional<IndexExpr> symbolic_cast(DType to, DType from, IndexExpr);

}  // namespace cppgen::ir
