#include "cppgen/ir/values/symbolic_ops.h"

#include "cppgen/ir/values/fold.h"

namespace cppgen::ir {

namespace {

std::optional<bool> decide_less(IndexExpr a, IndexExpr b) {
  if (prove_less(a, b)) return true;
  if (prove_less_equal(b, a)) return false;
  return std::nullopt;
}

std::optional<bool> decide_equal(IndexExpr a, IndexExpr b) {
  if (prove_equal(a, b)) return true;
  if (prove_less(a, b) || prove_less(b, a)) return false;
  return std::nullopt;
}

std::optional<bool> negated(std::optional<bool> b) { return b ? std::optional(!*b) : b; }

bool never_negative(IndexExpr e) { return prove_less_equal(0, e); }

// Operations on constants, exactly as the expression arena folds them.
std::optional<IndexExpr> constant_of(Expr e) {
  return e->kind == ExprKind::constant ? std::optional(IndexExpr(e->int_value())) : std::nullopt;
}

}  // namespace

std::optional<bool> decide(BinaryOp op, IndexExpr a, IndexExpr b) {
  switch (op) {
    case BinaryOp::lt:
      return decide_less(a, b);
    case BinaryOp::gt:
      return decide_less(b, a);
    case BinaryOp::le:
      return negated(decide_less(b, a));
    case BinaryOp::ge:
      return negated(decide_less(a, b));
    case BinaryOp::eq:
      return decide_equal(a, b);
    case BinaryOp::ne:
      return negated(decide_equal(a, b));
    default:
      return std::nullopt;
  }
}

std::optional<IndexExpr> symbolic_unary(UnaryOp op, DType type, IndexExpr a) {
  if (a.is_constant()) {
    ExprArena arena;
    return constant_of(arena.unary(op, arena.constant_int(type, a.constant())));
  }
  if (op == UnaryOp::neg) return -1 * a;
  if (op == UnaryOp::abs) {
    if (never_negative(a)) return a;
    if (prove_less_equal(a, 0)) return -1 * a;
  }
  if (op == UnaryOp::sign) {
    if (prove_less(0, a)) return IndexExpr(1);
    if (prove_less(a, 0)) return IndexExpr(-1);
  }
  return std::nullopt;
}

std::optional<IndexExpr> symbolic_binary(BinaryOp op, DType type, IndexExpr a, IndexExpr b) {
  if (a.is_constant() && b.is_constant()) {
    ExprArena arena;
    return constant_of(
        arena.binary(op, arena.constant_int(type, a.constant()), arena.constant_int(type, b.constant())));
  }
  if (is_comparison(op)) {
    const auto answer = decide(op, a, b);
    return answer ? std::optional(IndexExpr(int64_t{*answer})) : std::nullopt;
  }
  if (!is_int(type)) return std::nullopt;
  switch (op) {
    case BinaryOp::add:
      return a + b;
    case BinaryOp::sub:
      return a - b;
    case BinaryOp::mul:
      return a * b;
    case BinaryOp::min:
      return min(a, b);
    case BinaryOp::max:
      return max(a, b);
    case BinaryOp::div:  // rounds toward zero, and gives 0 for a divisor of 0, as floordiv does
      return never_negative(a) && never_negative(b) ? std::optional(floordiv(a, b)) : std::nullopt;
    case BinaryOp::mod_trunc:
      return never_negative(a) && never_negative(b) ? std::optional(mod(a, b)) : std::nullopt;
    case BinaryOp::mod_floor:
      return never_negative(b) ? std::optional(mod(a, b)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<IndexExpr> symbolic_cast(DType to, DType from, IndexExpr a) {
  if (is_float(to) || is_float(from)) return std::nullopt;
  if (a.is_constant()) return IndexExpr(static_cast<int64_t>(cast_bits(to, from, static_cast<uint64_t>(a.constant()))));
  return to == DType::boolean ? symbolic_binary(BinaryOp::ne, from, a, 0) : std::optional(a);
}

}  // namespace cppgen::ir
