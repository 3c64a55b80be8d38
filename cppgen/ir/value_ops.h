#pragma once
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/base/dtype.h"

namespace cppgen::ir {

// The meaning of every operation on one value, as expr.h states it: shared by constant folding and the interpreter.
namespace value_ops {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

// --- binary ---

// Arithmetic that wraps for integers. Narrow types are widened to 32 bits unsigned by the usual promotions or by hand.
template <class T>
using Wide = std::conditional_t<std::floating_point<T>, T, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

template <class T>
T add(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}
template <class T>
T sub(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
}
template <class T>
T mul(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}

template <class T>
T div(T a, T b) {
  if constexpr (std::floating_point<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::signed_integral<T>)
      if (b == -1) return sub<T>(0, a);
    return static_cast<T>(a / b);
  }
}

template <class T>
T mod_trunc(T a, T b) {
  if constexpr (std::floating_point<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return 0;
    if constexpr (std::signed_integral<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
}

template <class T>
T mod_floor(T a, T b) {
  const T r = mod_trunc(a, b);
  if constexpr (std::floating_point<T>) {
    if (r == 0) return std::copysign(r, b);
    return (r < 0) != (b < 0) ? r + b : r;
  } else {
    return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  }
}

template <class T>
T min(T a, T b) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

template <class T>
T max(T a, T b) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

// Integers: wrapping repeated multiplication; a negative exponent gives the power truncated toward zero, 0 for base 0.
template <class T>
T pow_int(T base, T exponent) {
  if constexpr (std::signed_integral<T>)
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 ? T(-1) : T(1);
      return 0;
    }
  T result = 1;
  for (auto e = static_cast<Unsigned<T>>(exponent); e != 0; e >>= 1) {
    if (e & 1) result = mul(result, base);
    base = mul(base, base);
  }
  return result;
}

template <class T>
T pow(T a, T b) {
  if constexpr (std::floating_point<T>)
    return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  else
    return pow_int(a, b);
}

// The amount is read as unsigned, so a negative one shifts everything out.
template <class T>
T shl(T a, T b) {
  const auto amount = static_cast<Unsigned<T>>(b);
  return amount >= sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<Wide<T>>(a) << amount);
}
template <class T>
T shr(T a, T b) {
  const auto amount = static_cast<Unsigned<T>>(b);
  return amount >= sizeof(T) * 8 ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> amount);
}

// --- unary ---

template <class T>
T neg(T a) {
  if constexpr (std::floating_point<T>)
    return -a;
  else
    return sub<T>(0, a);
}

template <class T>
T abs(T a) {
  if constexpr (std::floating_point<T>)
    return std::fabs(a);
  else
    return a < 0 ? neg(a) : a;
}

template <class T>
T sign(T a) {
  if constexpr (std::floating_point<T>)
    if (std::isnan(a)) return a;
  return static_cast<T>((a > 0) - (a < 0));
}

inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// --- conversions ---

// float -> int truncates, saturates, NaN gives 0; int -> int wraps; anything to bool is x != 0.
template <class To, class From>
To cast(From x) {
  if constexpr (std::same_as<To, bool>) {
    return x != From(0);
  } else if constexpr (std::floating_point<From> && std::integral<To>) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(x)) return 0;
    // 2^digits is exact in every floating type; all values below it, and the least value, convert exactly.
    const From end = std::ldexp(From(1), Limits::digits);
    if (x >= end) return Limits::max();
    if (x <= static_cast<From>(Limits::min())) return Limits::min();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace value_ops

// Calls f with a value of the C++ type that computes values of this (value) type: float, double, int8_t ..., bool.
template <class F>
decltype(auto) with_value_type(DType type, F&& f) {
  switch (type) {
    case DType::f64:
      return f(double());
    case DType::i8:
      return f(int8_t());
    case DType::i16:
      return f(int16_t());
    case DType::i32:
      return f(int32_t());
    case DType::i64:
      return f(int64_t());
    case DType::u8:
      return f(uint8_t());
    case DType::u16:
      return f(uint16_t());
    case DType::u32:
      return f(uint32_t());
    case DType::u64:
      return f(uint64_t());
    case DType::boolean:
      return f(bool());
    default:
      return f(float());
  }
}

}  // namespace cppgen::ir
