#include <cstring>

#include "cppgen/ir/strip_kernels.h"
#include "cppgen/ir/value_ops.h"
#include "runtime/base/errors.h"
#include "runtime/base/float8.h"
#include "runtime/base/narrow_floats.h"

namespace cppgen::ir {

namespace {

namespace ops = value_ops;

template <class R, class T, auto F>
void map1(void* dst, const void* const* args, int n) {
  auto* __restrict r = static_cast<R*>(dst);
  const auto* __restrict a = static_cast<const T*>(args[0]);
  for (int i = 0; i < n; i++) r[i] = F(a[i]);
}

template <class R, class T, auto F>
void map2(void* dst, const void* const* args, int n) {
  auto* __restrict r = static_cast<R*>(dst);
  const auto* a = static_cast<const T*>(args[0]);
  const auto* b = static_cast<const T*>(args[1]);
  for (int i = 0; i < n; i++) r[i] = F(a[i], b[i]);
}

// Transcendentals go through double and are rounded once.
template <class T, double (*F)(double)>
T via_double(T x) {
  return static_cast<T>(F(static_cast<double>(x)));
}

template <class T, double (*F)(double)>
constexpr Elementwise transcendental = map1<T, T, via_double<T, F>>;

template <class T>
Elementwise float_unary(UnaryOp op) {
  switch (op) {
    case UnaryOp::floor:
      return map1<T, T, [](T x) { return std::floor(x); }>;
    case UnaryOp::ceil:
      return map1<T, T, [](T x) { return std::ceil(x); }>;
    case UnaryOp::round:
      return map1<T, T, [](T x) { return std::nearbyint(x); }>;
    case UnaryOp::trunc:
      return map1<T, T, [](T x) { return std::trunc(x); }>;
    case UnaryOp::sqrt:
      return map1<T, T, [](T x) { return std::sqrt(x); }>;
    case UnaryOp::exp:
      return transcendental<T, std::exp>;
    case UnaryOp::expm1:
      return transcendental<T, std::expm1>;
    case UnaryOp::log:
      return transcendental<T, std::log>;
    case UnaryOp::log1p:
      return transcendental<T, std::log1p>;
    case UnaryOp::log2:
      return transcendental<T, std::log2>;
    case UnaryOp::sin:
      return transcendental<T, std::sin>;
    case UnaryOp::cos:
      return transcendental<T, std::cos>;
    case UnaryOp::tan:
      return transcendental<T, std::tan>;
    case UnaryOp::asin:
      return transcendental<T, std::asin>;
    case UnaryOp::acos:
      return transcendental<T, std::acos>;
    case UnaryOp::atan:
      return transcendental<T, std::atan>;
    case UnaryOp::sinh:
      return transcendental<T, std::sinh>;
    case UnaryOp::cosh:
      return transcendental<T, std::cosh>;
    case UnaryOp::tanh:
      return transcendental<T, std::tanh>;
    case UnaryOp::asinh:
      return transcendental<T, std::asinh>;
    case UnaryOp::acosh:
      return transcendental<T, std::acosh>;
    case UnaryOp::atanh:
      return transcendental<T, std::atanh>;
    case UnaryOp::erf:
      return transcendental<T, std::erf>;
    case UnaryOp::sigmoid:
      return transcendental<T, ops::sigmoid>;
    case UnaryOp::is_nan:
      return map1<bool, T, [](T x) { return std::isnan(x); }>;
    case UnaryOp::is_inf:
      return map1<bool, T, [](T x) { return std::isinf(x); }>;
    default:
      return nullptr;
  }
}

template <DType T>
constexpr Elementwise round_float8 =
    map1<float, float, [](float x) { return f8_to_f32<float8_format(T)>(f32_to_f8<float8_format(T)>(x)); }>;

Elementwise rounding(UnaryOp op) {
  if (op == UnaryOp::round_f16) return map1<float, float, [](float x) { return f16_to_f32(f32_to_f16(x)); }>;
  if (op == UnaryOp::round_bf16) return map1<float, float, [](float x) { return bf16_to_f32(f32_to_bf16(x)); }>;
  if (op == UnaryOp::round_f8e4m3fn) return round_float8<DType::f8e4m3fn>;
  if (op == UnaryOp::round_f8e4m3fnuz) return round_float8<DType::f8e4m3fnuz>;
  if (op == UnaryOp::round_f8e5m2) return round_float8<DType::f8e5m2>;
  if (op == UnaryOp::round_f8e5m2fnuz) return round_float8<DType::f8e5m2fnuz>;
  return nullptr;
}

template <class T>
Elementwise any_unary(UnaryOp op) {
  if constexpr (std::same_as<T, bool>) {
    return op == UnaryOp::logical_not ? map1<bool, bool, [](bool x) { return !x; }> : nullptr;
  } else {
    if (op == UnaryOp::neg) return map1<T, T, ops::neg<T>>;
    if (op == UnaryOp::abs) return map1<T, T, ops::abs<T>>;
    if (op == UnaryOp::sign) return map1<T, T, ops::sign<T>>;
    if constexpr (std::floating_point<T>) return float_unary<T>(op);
    if constexpr (std::integral<T>)
      if (op == UnaryOp::bit_not) return map1<T, T, [](T x) { return static_cast<T>(~x); }>;
    return nullptr;
  }
}

template <class T>
Elementwise common_binary(BinaryOp op) {
  switch (op) {
    case BinaryOp::min:
      return map2<T, T, ops::min<T>>;
    case BinaryOp::max:
      return map2<T, T, ops::max<T>>;
    case BinaryOp::lt:
      return map2<bool, T, [](T a, T b) { return a < b; }>;
    case BinaryOp::le:
      return map2<bool, T, [](T a, T b) { return a <= b; }>;
    case BinaryOp::gt:
      return map2<bool, T, [](T a, T b) { return (a > b); }>;
    case BinaryOp::ge:
      return map2<bool, T, [](T a, T b) { return a >= b; }>;
    case BinaryOp::eq:
      return map2<bool, T, [](T a, T b) { return a == b; }>;
    case BinaryOp::ne:
      return map2<bool, T, [](T a, T b) { return a != b; }>;
    default:
      return nullptr;
  }
}

template <class T>
Elementwise arithmetic(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return map2<T, T, ops::add<T>>;
    case BinaryOp::sub:
      return map2<T, T, ops::sub<T>>;
    case BinaryOp::mul:
      return map2<T, T, ops::mul<T>>;
    case BinaryOp::div:
      return map2<T, T, ops::div<T>>;
    case BinaryOp::mod_trunc:
      return map2<T, T, ops::mod_trunc<T>>;
    case BinaryOp::mod_floor:
      return map2<T, T, ops::mod_floor<T>>;
    case BinaryOp::pow:
      return map2<T, T, ops::pow<T>>;
    default:
      return nullptr;
  }
}

template <class T>
Elementwise bitwise(BinaryOp op) {
  switch (op) {
    case BinaryOp::bit_and:
      return map2<T, T, [](T a, T b) { return static_cast<T>(a & b); }>;
    case BinaryOp::bit_or:
      return map2<T, T, [](T a, T b) { return static_cast<T>(a | b); }>;
    case BinaryOp::bit_xor:
      return map2<T, T, [](T a, T b) { return static_cast<T>(a ^ b); }>;
    default:
      return nullptr;
  }
}

template <class T>
Elementwise any_binary(BinaryOp op) {
  if (Elementwise f = common_binary<T>(op)) return f;
  if constexpr (std::floating_point<T>) {
    if (op == BinaryOp::copysign) return map2<T, T, [](T a, T b) { return std::copysign(a, b); }>;
  } else {
    if (Elementwise f = bitwise<T>(op)) return f;
  }
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    if (op == BinaryOp::shl) return map2<T, T, ops::shl<T>>;
    if (op == BinaryOp::shr) return map2<T, T, ops::shr<T>>;
  }
  if constexpr (!std::same_as<T, bool>) return arithmetic<T>(op);
  return nullptr;
}

template <class T>
void select(void* dst, const void* const* args, int n) {
  auto* __restrict r = static_cast<T*>(dst);
  const auto* c = static_cast<const bool*>(args[0]);
  const auto* a = static_cast<const T*>(args[1]);
  const auto* b = static_cast<const T*>(args[2]);
  for (int i = 0; i < n; i++) r[i] = c[i] ? a[i] : b[i];
}

template <class T>
void broadcast(void* dst, int n) {
  auto* r = static_cast<T*>(dst);
  const T value = r[0];
  for (int i = 1; i < n; i++) r[i] = value;
}

}  // namespace

Elementwise unary_kernel(UnaryOp op, DType operand) {
  if (Elementwise f = rounding(op)) return f;
  const Elementwise f = with_value_type(operand, [&](auto t) { return any_unary<decltype(t)>(op); });
  if (!f) internal_error("no kernel for {} of {}", name_of(op), name_of(operand));
  return f;
}

Elementwise binary_kernel(BinaryOp op, DType operands) {
  const Elementwise f = with_value_type(operands, [&](auto t) { return any_binary<decltype(t)>(op); });
  if (!f) internal_error("no kernel for {} of {}", name_of(op), name_of(operands));
  return f;
}

Elementwise select_kernel(DType type) {
  return with_value_type(type, [](auto t) -> Elementwise { return select<decltype(t)>; });
}

Elementwise cast_kernel(DType to, DType from) {
  return with_value_type(from, [&](auto f) {
    return with_value_type(
        to, [](auto t) -> Elementwise { return map1<decltype(t), decltype(f), ops::cast<decltype(t), decltype(f)>>; });
  });
}

void broadcast_first(void* dst, size_t element_size, int n) {
  switch (element_size) {
    case 1:
      return broadcast<uint8_t>(dst, n);
    case 2:
      return broadcast<uint16_t>(dst, n);
    case 4:
      return broadcast<uint32_t>(dst, n);
    default:
      return broadcast<uint64_t>(dst, n);
  }
}

}  // namespace cppgen::ir
