#pragma once
#include <optional>

#include "cppgen/ir/expr.h"

namespace cppgen::ir {

// Integer operations on values that are index expressions, as expr.h means them, taking symbolic results to stay
// within their type. Nullopt where the result is no index expression or depends on a comparison nothing decides.
std::optional<bool> decide(BinaryOp comparison, IndexExpr, IndexExpr);
std::optional<IndexExpr> symbolic_unary(UnaryOp, DType, IndexExpr);
std::optional<IndexExpr> symbolic_binary(BinaryOp, DType operands, IndexExpr, IndexExpr);
std::optional<IndexExpr> symbolic_cast(DType to, DType from, IndexExpr);

}  // namespace cppgen::ir
