#include "cppgen/ir/fold.h"

#include "cppgen/ir/value_ops.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

template <class T>
uint64_t to_bits(T value) {
  if constexpr (std::floating_point<T>)
    return std::bit_cast<uint64_t>(static_cast<double>(value));
  else
    return static_cast<uint64_t>(static_cast<int64_t>(value));
}

template <class T>
T from_bits(uint64_t bits) {
  if constexpr (std::floating_point<T>)
    return static_cast<T>(std::bit_cast<double>(bits));
  else if constexpr (std::same_as<T, bool>)
    return bits != 0;
  else
    return static_cast<T>(bits);
}

}  // namespace

uint64_t constant_bits(DType type, double value) {
  return with_value_type(type, [&](auto t) { return to_bits(value_ops::cast<decltype(t)>(value)); });
}

uint64_t constant_bits(DType type, int64_t value) {
  return with_value_type(type, [&](auto t) { return to_bits(value_ops::cast<decltype(t)>(value)); });
}

uint64_t cast_bits(DType to, DType from, uint64_t bits) {
  return with_value_type(from, [&](auto f) {
    return with_value_type(to,
                           [&](auto t) { return to_bits(value_ops::cast<decltype(t)>(from_bits<decltype(f)>(bits))); });
  });
}

namespace {

template <class T>
std::optional<int64_t> unary_of(UnaryOp op, T a) {
  if constexpr (std::same_as<T, bool>) {
    if (op == UnaryOp::logical_not) return !a;
  } else if constexpr (std::integral<T>) {
    if (op == UnaryOp::neg) return value_ops::neg(a);
    if (op == UnaryOp::abs) return value_ops::abs(a);
    if (op == UnaryOp::sign) return value_ops::sign(a);
    if (op == UnaryOp::bit_not) return static_cast<T>(~a);
  }
  return std::nullopt;
}

template <class T>
std::optional<int64_t> arithmetic_of(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::add:
      return value_ops::add(a, b);
    case BinaryOp::sub:
      return value_ops::sub(a, b);
    case BinaryOp::mul:
      return value_ops::mul(a, b);
    case BinaryOp::div:
      return value_ops::div(a, b);
    case BinaryOp::mod_trunc:
      return value_ops::mod_trunc(a, b);
    case BinaryOp::mod_floor:
      return value_ops::mod_floor(a, b);
    case BinaryOp::pow:
      return value_ops::pow(a, b);
    case BinaryOp::shl:
      return value_ops::shl(a, b);
    case BinaryOp::shr:
      return value_ops::shr(a, b);
    default:
      return std::nullopt;
  }
}

template <class T>
std::optional<int64_t> binary_of(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::min:
      return value_ops::min(a, b);
    case BinaryOp::max:
      return value_ops::max(a, b);
    case BinaryOp::bit_and:
      return static_cast<T>(a & b);
    case BinaryOp::bit_or:
      return static_cast<T>(a | b);
    case BinaryOp::bit_xor:
      return static_cast<T>(a ^ b);
    case BinaryOp::lt:
      return a < b;
    case BinaryOp::le:
      return a <= b;
    case BinaryOp::gt:
      return a > b;
    case BinaryOp::ge:
      return a >= b;
    case BinaryOp::eq:
      return a == b;
    case BinaryOp::ne:
      return a != b;
    default:
      break;
  }
  if constexpr (std::same_as<T, bool>)
    return std::nullopt;
  else
    return arithmetic_of(op, a, b);
}

bool is_int_constant(Expr e) { return e->kind == ExprKind::constant && !is_float(e->type); }

}  // namespace

std::optional<int64_t> fold_unary(UnaryOp op, Expr e) {
  if (!is_int_constant(e)) return std::nullopt;
  return with_value_type(e->type, [&](auto t) -> std::optional<int64_t> {
    if constexpr (std::floating_point<decltype(t)>)
      return std::nullopt;
    else
      return unary_of(op, from_bits<decltype(t)>(e->bits));
  });
}

std::optional<int64_t> fold_binary(BinaryOp op, Expr a, Expr b) {
  if (!is_int_constant(a) || !is_int_constant(b)) return std::nullopt;
  return with_value_type(a->type, [&](auto t) -> std::optional<int64_t> {
    if constexpr (std::floating_point<decltype(t)>)
      return std::nullopt;
    else
      return binary_of(op, from_bits<decltype(t)>(a->bits), from_bits<decltype(t)>(b->bits));
  });
}

}  // namespace cppgen::ir
