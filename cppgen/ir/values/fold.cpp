#include "cppgen/ir/values/fold.h"

#include "cppgen/ir/values/value_ops.h"
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

// Results are double for floats, int64 for others.
template <class T>
using Folded = std::conditional_t<std::floating_point<T>, double, int64_t>;

template <class T>
std::optional<Folded<T>> unary_result(UnaryOp op, T a) {
  switch (op) {
#define CPPGEN_UNARY(op, operand, ...)                                                 \
  case UnaryOp::op:                                                                    \
    if constexpr (takes<T>(OperandClass::operand)) return Folded<T>(value_ops::op(a)); \
    return std::nullopt;
#define CPPGEN_FUNCTION(op, of_double, ...)                    \
  case UnaryOp::op:                                            \
    if constexpr (std::floating_point<T>) return of_double(a); \
    return std::nullopt;
#define CPPGEN_ROUNDING(...)
#include "cppgen/ir/values/operations.def"
    default:
      return std::nullopt;
  }
}

template <class T>
std::optional<Folded<T>> binary_result(BinaryOp op, T a, T b) {
  switch (op) {
#define CPPGEN_BINARY(op, operands, ...)                                                   \
  case BinaryOp::op:                                                                       \
    if constexpr (takes<T>(OperandClass::operands)) return Folded<T>(value_ops::op(a, b)); \
    return std::nullopt;
#include "cppgen/ir/values/operations.def"
  }
  return std::nullopt;
}

bool is_known_integer(Expr e) { return e->kind == ExprKind::constant && !is_float(e->type); }

}  // namespace

std::optional<double> fold(UnaryOp op, double a) { return unary_result(op, a); }
std::optional<double> fold(BinaryOp op, double a, double b) { return binary_result(op, a, b); }
std::optional<int64_t> fold(UnaryOp op, int64_t a) { return unary_result(op, a); }
std::optional<int64_t> fold(BinaryOp op, int64_t a, int64_t b) { return binary_result(op, a, b); }

std::optional<int64_t> fold_unary(UnaryOp op, Expr e) {
  if (!is_known_integer(e)) return std::nullopt;
  return with_value_type(e->type, [&](auto t) -> std::optional<int64_t> {
    if constexpr (std::floating_point<decltype(t)>)
      return std::nullopt;
    else
      return unary_result(op, from_bits<decltype(t)>(e->bits));
  });
}

std::optional<int64_t> fold_binary(BinaryOp op, Expr a, Expr b) {
  if (!is_known_integer(a) || !is_known_integer(b)) return std::nullopt;
  return with_value_type(a->type, [&](auto t) -> std::optional<int64_t> {
    if constexpr (std::floating_point<decltype(t)>)
      return std::nullopt;
    else
      return binary_result(op, from_bits<decltype(t)>(a->bits), from_bits<decltype(t)>(b->bits));
  });
}

}  // namespace cppgen::ir
