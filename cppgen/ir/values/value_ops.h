#pragma once
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cppgen/ir/values/op_table.h"
#include "runtime/base/value_types.h"

namespace cppgen::ir {

// The meaning of every operation on one value, as expr.h states it: shared by constant folding and the interpreter,
// which find the function of each row of operations.def by its name.
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

template <class T>
T max_number(T a, T b) {
  return b > a ? b : a;
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

template <class T>
T copysign(T a, T b) {
  return std::copysign(a, b);
}
template <class T>
T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}

template <class T>
bool lt(T a, T b) {
  return a < b;
}
template <class T>
bool le(T a, T b) {
  return a <= b;
}
template <class T>
bool gt(T a, T b) {
  return a > b;
}
template <class T>
bool ge(T a, T b) {
  return a >= b;
}
template <class T>
bool eq(T a, T b) {
  return a == b;
}
template <class T>
bool ne(T a, T b) {
  return a != b;
}

// --- unary; functions of floats go through double (strip_elementwise.cpp) ---

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

template <class T>
T bit_not(T a) {
  return static_cast<T>(~a);
}
template <class T>
T logical_not(T a) {
  return !a;
}
template <class T>
T floor(T x) {
  return std::floor(x);
}
template <class T>
T ceil(T x) {
  return std::ceil(x);
}
template <class T>
T round(T x) {
  return std::nearbyint(x);
}
template <class T>
T trunc(T x) {
  return std::trunc(x);
}
template <class T>
T sqrt(T x) {
  return std::sqrt(x);
}
template <class T>
bool is_nan(T x) {
  return std::isnan(x);
}
template <class T>
bool is_inf(T x) {
  return std::isinf(x);
}

// Weights of a softmax: products with subnormal numbers would be slow. The limit is that of float32 for all types.
inline double exp_flushed(double x) { return x < double(-87.33654f) ? 0 : std::exp(x > 0 ? 0 : x); }
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

// Tells whether an operation of this class takes operands of a C++ type.
template <class T>
constexpr bool takes(OperandClass operands) {
  constexpr bool is_bool = std::same_as<T, bool>;
  switch (operands) {
    case OperandClass::number:
      return !is_bool;
    case OperandClass::number_or_bool:
      return true;
    case OperandClass::floats:
      return std::floating_point<T>;
    case OperandClass::float32:
      return std::same_as<T, float>;
    case OperandClass::integer:
      return std::integral<T> && !is_bool;
    case OperandClass::bits:
      return std::integral<T>;
    case OperandClass::boolean:
      return is_bool;
  }
  return false;
}

}  // namespace cppgen::ir
