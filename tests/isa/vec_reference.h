// The meaning of the operations of vec, one element at a time, in portable C++ and with other methods than vec's own.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace ref {

struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};
struct Bool {
  uint8_t value;
};
// A sign, an exponent, a fraction. kIeee: infinities and NaNs at the greatest exponent; kFinite: NaN only where all
// bits are set; kUnsignedZero: NaN takes the place of -0.
enum class Float8Kind { kIeee, kFinite, kUnsignedZero };
template <int Fraction, int Bias, Float8Kind Kind>
struct Float8 {
  uint8_t bits;
};
using Float8E4M3 = Float8<3, 7, Float8Kind::kFinite>;
using Float8E4M3Fnuz = Float8<3, 8, Float8Kind::kUnsignedZero>;
using Float8E5M2 = Float8<2, 15, Float8Kind::kIeee>;
using Float8E5M2Fnuz = Float8<2, 16, Float8Kind::kUnsignedZero>;
template <class T>
constexpr bool kFloat8 = false;
template <int F, int B, Float8Kind K>
constexpr bool kFloat8<Float8<F, B, K>> = true;

template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
template <class T>
constexpr bool kFloat = std::is_floating_point_v<T>;

// The low bits of an exact result.
template <class T>
T wrap(__int128 x) {
  return T(std::make_unsigned_t<T>(x));
}

template <class T>
T add(T a, T b) {
  if constexpr (kFloat<T>)
    return a + b;
  else
    return wrap<T>(__int128(a) + b);
}
template <class T>
T sub(T a, T b) {
  if constexpr (kFloat<T>)
    return a - b;
  else
    return wrap<T>(__int128(a) - b);
}
template <class T>
T mul(T a, T b) {
  if constexpr (kFloat<T>)
    return a * b;
  else
    return wrap<T>(__int128((unsigned __int128)(__int128(a)) * (unsigned __int128)(__int128(b))));
}
template <class T>
T div(T a, T b) {
  if constexpr (kFloat<T>)
    return a / b;
  else
    return b == 0 ? T(0) : wrap<T>(__int128(a) / b);
}
template <class T>
T mod_trunc(T a, T b) {
  if constexpr (kFloat<T>)
    return std::fmod(a, b);
  else
    return b == 0 ? T(0) : wrap<T>(__int128(a) % b);
}
template <class T>
T mod_floor(T a, T b) {
  if constexpr (kFloat<T>) {
    const T r = std::fmod(a, b);
    if (r == 0) return std::copysign(T(0), b);
    return (r < 0) != (b < 0) && r == r ? r + b : r;
  } else {
    if (b == 0) return 0;
    __int128 r = __int128(a) % b;
    if (r != 0 && (r < 0) != (b < 0)) r += b;
    return wrap<T>(r);
  }
}
template <class T>
T min(T a, T b) {
  if constexpr (kFloat<T>) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}
template <class T>
T max(T a, T b) {
  if constexpr (kFloat<T>) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}
template <class T>
T neg(T a) {
  if constexpr (kFloat<T>)
    return -a;
  else
    return wrap<T>(-__int128(a));
}
template <class T>
T abs(T a) {
  if constexpr (kFloat<T>)
    return std::fabs(a);
  else
    return wrap<T>(a < 0 ? -__int128(a) : __int128(a));
}
template <class T>
T sign(T a) {
  if (a != a) return a;
  return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
}
template <class T>
T select_less(T a, T b, T c) {
  return a < b ? c : a;
}

inline float sqrt(float a) { return std::sqrt(a); }
inline double sqrt(double a) { return std::sqrt(a); }
template <class T>
T floor(T a) {
  return std::floor(a);
}
template <class T>
T ceil(T a) {
  return std::ceil(a);
}
template <class T>
T trunc(T a) {
  return std::trunc(a);
}
template <class T>
T round_even(T a) {
  return std::nearbyint(a);
}
template <class T>
T copysign(T a, T b) {
  return std::copysign(a, b);
}
template <class T>
T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}

template <class T>
T bit_not(T a) {
  return T(~a);
}
template <class T>
T bit_and(T a, T b) {
  return T(a & b);
}
template <class T>
T bit_or(T a, T b) {
  return T(a | b);
}
template <class T>
T bit_xor(T a, T b) {
  return T(a ^ b);
}
template <class T>
bool shift_fits(T n) {
  return __int128(n) >= 0 && __int128(n) < __int128(8 * sizeof(T));
}
template <class T>
T shl(T a, T n) {
  return shift_fits(n) ? wrap<T>(__int128((unsigned __int128)(__int128(a)) << int(n))) : T(0);
}
template <class T>
T shr(T a, T n) {
  return shift_fits(n) ? wrap<T>(__int128(a) >> int(n)) : T(a < 0 ? -1 : 0);
}

template <class T>
bool is_nan(T a) {
  return a != a;
}
template <class T>
bool is_inf(T a) {
  if constexpr (kFloat<T>)
    return std::isinf(a);
  else
    return false;
}
template <class T>
bool eq(T a, T b) {
  return a == b;
}
template <class T>
bool ne(T a, T b) {
  return a != b;
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

// ---- conversions ----
inline double to_value(Half h) {
  const double sign = h.bits & 0x8000 ? -1 : 1;
  const int exponent = h.bits >> 10 & 31, fraction = h.bits & 1023;
  if (exponent == 31) return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  return sign * std::ldexp(exponent ? fraction + 1024 : fraction, (exponent ? exponent : 1) - 25);
}
inline double to_value(Bfloat h) { return std::bit_cast<float>(uint32_t(h.bits) << 16); }
inline bool to_value(Bool b) { return b.value != 0; }
template <int F, int B, Float8Kind K>
double to_value(Float8<F, B, K> h) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const int exponent = h.bits >> F & ((1 << (7 - F)) - 1), fraction = h.bits & ((1 << F) - 1);
  const double sign = h.bits & 0x80 ? -1 : 1;
  if (K == Float8Kind::kUnsignedZero && h.bits == 0x80) return nan;
  if (K == Float8Kind::kFinite && (h.bits & 0x7f) == 0x7f) return nan;
  if (K == Float8Kind::kIeee && exponent == (1 << (7 - F)) - 1) return fraction ? nan : sign * HUGE_VAL;
  return sign * std::ldexp(exponent ? fraction + (1 << F) : fraction, (exponent ? exponent : 1) - B - F);
}
template <class T>
requires std::is_arithmetic_v<T> T to_value(T x) { return x; }

// x rounded to a binary format of `bits` significant bits, smallest exponent `low`, overflow from `limit` on.
inline double round_to_format(double x, int bits, int low, double limit) {
  if (x != x || std::isinf(x) || x == 0) return x;
  const int exponent = std::max(std::ilogb(x), low);
  const double quantum = std::ldexp(1.0, exponent - bits + 1), r = std::nearbyint(x / quantum) * quantum;
  return std::fabs(r) >= limit ? std::copysign(HUGE_VAL, x) : r;
}
inline Bfloat to_bfloat(float x) {
  if (x != x) return {0x7fc0};
  const float r = float(round_to_format(x, 8, -126, 0x1p128));
  return {uint16_t(std::bit_cast<uint32_t>(r) >> 16)};
}
inline Half to_half(float x) {
  if (x != x) return {0x7e00};
  const double r = round_to_format(x, 11, -14, 0x1p16), a = std::fabs(r);
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isinf(a)) return {uint16_t(sign | 0x7c00)};
  if (a < 0x1p-14) return {uint16_t(sign | int(a * 0x1p24))};
  const int e = std::ilogb(a);
  return {uint16_t(sign | ((e + 15) << 10) | int(std::ldexp(a, 10 - e) - 1024))};
}
// The nearest of all numbers, of two the one of even code. What lies nearer to where the next number would be
// overflows.
template <class T>
T to_float8(float x) {
  static const std::vector<double> numbers = [] {
    std::vector<double> all;
    for (int code = 0; code < 128 && std::isfinite(to_value(T{uint8_t(code)})); code++)
      all.push_back(to_value(T{uint8_t(code)}));
    all.push_back(2 * all.back() - *(all.end() - 2));
    return all;
  }();
  const bool one_zero = std::isnan(to_value(T{0x80}));
  const auto with_sign = [&](size_t code) { return T{uint8_t((std::signbit(x) ? 0x80 : 0) | code)}; };
  if (x != x) return one_zero ? T{0x80} : with_sign(0x7f);
  const double a = std::fabs(double(x));
  const auto above = std::upper_bound(numbers.begin(), numbers.end(), a);
  size_t code = size_t(above - numbers.begin()) - 1;
  const double down = a - numbers[code], up = above == numbers.end() ? 0 : *above - a;
  if (above != numbers.end() && (down > up || (down == up && code % 2 == 1))) code++;
  if (code == numbers.size() - 1) return one_zero ? T{0x80} : with_sign(code);
  return one_zero && code == 0 ? T{0} : with_sign(code);
}

template <class To, class From>
To convert(From from) {
  const auto x = to_value(from);
  using X = std::remove_const_t<decltype(x)>;
  if constexpr (std::is_same_v<To, Bool>) {
    return {uint8_t(x != 0)};
  } else if constexpr (std::is_same_v<To, Half>) {
    return to_half(float(x));
  } else if constexpr (std::is_same_v<To, Bfloat>) {
    return to_bfloat(float(x));
  } else if constexpr (kFloat8<To>) {
    return to_float8<To>(float(x));
  } else if constexpr (kFloat<To> || !kFloat<X>) {
    return To(x);
  } else {
    if (x != x) return To(0);
    const long double whole = std::trunc((long double)x);
    if (whole < (long double)std::numeric_limits<To>::min()) return std::numeric_limits<To>::min();
    if (whole > (long double)std::numeric_limits<To>::max()) return std::numeric_limits<To>::max();
    return To(whole);
  }
}

}  // namespace ref
