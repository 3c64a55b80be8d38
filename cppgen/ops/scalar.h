#pragma once
#include "cppgen/ir/values/expr.h"

namespace cppgen::ops {

// A value expression with arithmetic operators, for defining the meaning of operators. Numbers take the type of the
// other operand.
struct Scalar {
  ir::ExprArena* arena;
  ir::Expr expr;

  operator ir::Expr() const { return expr; }
  DType type() const { return expr->type; }
  Scalar number(double value) const {  // a constant of this value's type
    if (is_float(type())) return {arena, arena->constant(type(), value)};
    return {arena, arena->constant_int(type(), int64_t(value))};
  }
  Scalar unary(ir::UnaryOp op) const { return {arena, arena->unary(op, expr)}; }
  Scalar binary(ir::BinaryOp op, Scalar other) const { return {arena, arena->binary(op, expr, other.expr)}; }
  Scalar cast(DType to) const { return to == type() ? *this : Scalar{arena, arena->cast(to, expr)}; }
};

inline Scalar unchanged(Scalar x) { return x; }

#define CPPGEN_SCALAR_BINARY(function, op)                                                       \
  inline Scalar function(Scalar a, Scalar b) { return a.binary(ir::BinaryOp::op, b); }           \
  inline Scalar function(Scalar a, double b) { return a.binary(ir::BinaryOp::op, a.number(b)); } \
  inline Scalar function(double a, Scalar b) { return b.number(a).binary(ir::BinaryOp::op, b); }
CPPGEN_SCALAR_BINARY(operator+, add)
CPPGEN_SCALAR_BINARY(operator-, sub)
CPPGEN_SCALAR_BINARY(operator*, mul)
CPPGEN_SCALAR_BINARY(operator/, div)
CPPGEN_SCALAR_BINARY(operator<, lt)
CPPGEN_SCALAR_BINARY(operator<=, le)
CPPGEN_SCALAR_BINARY(operator>, gt)
CPPGEN_SCALAR_BINARY(operator>=, ge)
CPPGEN_SCALAR_BINARY(operator==, eq)
CPPGEN_SCALAR_BINARY(operator!=, ne)
CPPGEN_SCALAR_BINARY(min, min)
CPPGEN_SCALAR_BINARY(max, max)
CPPGEN_SCALAR_BINARY(pow, pow)
#undef CPPGEN_SCALAR_BINARY

inline Scalar operator&&(Scalar a, Scalar b) { return a.binary(ir::BinaryOp::bit_and, b); }  // of bools
inline Scalar operator||(Scalar a, Scalar b) { return a.binary(ir::BinaryOp::bit_or, b); }
inline Scalar operator!(Scalar a) { return a.unary(ir::UnaryOp::logical_not); }
inline Scalar operator-(Scalar a) { return a.unary(ir::UnaryOp::neg); }

#define CPPGEN_SCALAR_UNARY(function) \
  inline Scalar function(Scalar a) { return a.unary(ir::UnaryOp::function); }
CPPGEN_SCALAR_UNARY(abs)
CPPGEN_SCALAR_UNARY(sign)
CPPGEN_SCALAR_UNARY(floor)
CPPGEN_SCALAR_UNARY(ceil)
CPPGEN_SCALAR_UNARY(round)
CPPGEN_SCALAR_UNARY(sqrt)
CPPGEN_SCALAR_UNARY(exp)
CPPGEN_SCALAR_UNARY(exp_flushed)
CPPGEN_SCALAR_UNARY(expm1)
CPPGEN_SCALAR_UNARY(log)
CPPGEN_SCALAR_UNARY(log1p)
CPPGEN_SCALAR_UNARY(sin)
CPPGEN_SCALAR_UNARY(cos)
CPPGEN_SCALAR_UNARY(tanh)
CPPGEN_SCALAR_UNARY(erf)
CPPGEN_SCALAR_UNARY(sigmoid)
CPPGEN_SCALAR_UNARY(is_nan)
CPPGEN_SCALAR_UNARY(is_inf)
#undef CPPGEN_SCALAR_UNARY

inline Scalar select(Scalar condition, Scalar then, Scalar otherwise) {
  return {condition.arena, condition.arena->select(condition, then, otherwise)};
}

}  // namespace cppgen::ops
