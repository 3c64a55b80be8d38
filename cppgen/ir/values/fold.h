#pragma once
#include <optional>

#include "cppgen/ir/values/expr.h"

namespace cppgen::ir {

// Exact evaluation of constants. `bits` is as in ExprNode: a double's for floats (already rounded to the type), else
// an int64 or uint64 holding the wrapped value.
uint64_t constant_bits(DType, double);
uint64_t constant_bits(DType, int64_t);
uint64_t cast_bits(DType to, DType from, uint64_t bits);

// The result for numbers of these types, comparisons yield 0 or 1; nullopt if the operation does not take them.
// Operations that only round to a storage type take none.
std::optional<double> fold(UnaryOp, double);
std::optional<double> fold(BinaryOp, double, double);
std::optional<int64_t> fold(UnaryOp, int64_t);
std::optional<int64_t> fold(BinaryOp, int64_t, int64_t);

// The result as int64 if the operands are integer (or bool) constants.
std::optional<int64_t> fold_unary(UnaryOp, Expr);
std::optional<int64_t> fold_binary(BinaryOp, Expr, Expr);

}  // namespace cppgen::ir
