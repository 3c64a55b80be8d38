// Conversions between element types. The rules, the same on every ISA and in the reference interpreter:
//   int -> int       wraps (two's complement, modulo 2^width of the target)
//   int -> float     rounds to nearest even, once
//   f64 -> f32       rounds to nearest even; overflow gives an infinity
//   float -> int     NaN gives 0; otherwise truncates toward zero; what does not fit saturates to the nearest limit
//                    (so every negative value gives 0 for an unsigned target)
//   mask -> T        0 or 1
//   T -> mask        x != 0; NaN is true, -0 is false
//   T -> f16, bf16, float8  through f32 (so a double is rounded twice), nearest even; overflow gives an infinity, or
//   NaN where there is none; NaN stays NaN
//
// The ISA header supplies convert<To>(V<From>) for values in range, between types that it has instructions for:
// among integers of 1, 2 and 4 bytes; between 4- and 8-byte types of any kind; among 4- and among 8-byte types; and
// half_to_float(V<u16>), float_to_half(V<f32>); nearest(V<f32>).
#pragma once

namespace vec {
inline namespace VEC_ISA {

// The type in registers of values of storage type T: V<T>, V<f32> for f16, bf16 and float8, M for b8 and M itself.
template <class T>
struct LoadedAs {
  typedef V<T> type;
};
template <>
struct LoadedAs<f16> {
  typedef V<f32> type;
};
template <>
struct LoadedAs<bf16> {
  typedef V<f32> type;
};
template <int F, int B, bool I, bool Z>
struct LoadedAs<float8<F, B, I, Z>> {
  typedef V<f32> type;
};
template <>
struct LoadedAs<b8> {
  typedef M type;
};
template <>
struct LoadedAs<M> {
  typedef M type;
};
template <class T>
using Loaded = typename LoadedAs<T>::type;

VEC_FN V<f32> bfloat_to_float(V<u16> h) { return bits_as<f32>(shift_left(convert<u32>(h), set1<u32>(16))); }

VEC_FN V<u16> float_to_bfloat(V<f32> x) {
  const V<u32> u = bits_as<u32>(x);
  const V<u32> odd = bit_and(shift_right(u, set1<u32>(16)), set1<u32>(1));
  const V<u32> rounded = u + set1<u32>(0x7fff) + odd;
  const V<u32> quiet = bit_or(u, set1<u32>(0x400000));
  return convert<u16>(shift_right(select(is_nan(x), quiet, rounded), set1<u32>(16)));
}

template <class To, class From>
VEC_FN V<To> float_to_int(V<From> x) {
  constexpr From low = From(int_min<To>);                                                // exact
  constexpr From high = From(u64(1) << (8 * sizeof(To) - 1)) * (is_signed<To> ? 1 : 2);  // the first that is too large
  const M fits = m_and(ge(x, set1<From>(low)), lt(x, set1<From>(high)));
  V<To> r = convert<To>(select(fits, x, zero<From>()));
  if constexpr (is_signed<To>) r = select(lt(x, set1<From>(low)), set1<To>(int_min<To>), r);
  return select(ge(x, set1<From>(high)), set1<To>(int_max<To>), r);
}

// x truncated into the range of To, which has one or two bytes; NaN gives 0.
template <class To>
VEC_FN V<i32> saturate(V<f32> x) {
  const V<f32> below = min_raw(set1<f32>(int_max<To>), x);  // NaN stays
  if constexpr (is_signed<To>)
    return select(is_nan(x), zero<i32>(), convert<i32>(max_raw(set1<f32>(int_min<To>), below)));
  else
    return convert<i32>(max_raw(below, zero<f32>()));
}

// The integer nearest to x, even ones first, within [least, most], which are integers below 2^31; NaN gives least.
VEC_FN V<i32> nearest_in(V<f32> x, V<f32> least, V<f32> most) { return nearest(min_raw(max_raw(x, least), most)); }

// Does the same for [least, least + 255] and subtracts `least`, as an offset of -least: what is too large for nearest()
// is at least 2^31 as an unsigned integer.
VEC_FN V<u8> nearest_byte(V<f32> x, V<f32> least, V<i32> offset) {
  return narrow_saturated(bits_as<u32>(nearest(max_raw(x, least))) + bits_as<u32>(offset));
}

// A narrow integer meets floats and 8-byte types by way of a 32-bit integer.
template <class To, class From>
constexpr bool through_i32 = (sizeof(From) < 4 && (is_float<To> || sizeof(To) == 8)) ||
                             (sizeof(To) < 4 && sizeof(From) == 8);

template <class To, class From>
VEC_FN Loaded<To> cast(V<From> x) {
  if constexpr (__is_same(To, From)) {
    return x;
  } else if constexpr (__is_same(Loaded<To>, M)) {
    return ne(x, zero<From>());
  } else if constexpr (__is_same(To, f16)) {
    return half_to_float(float_to_half(cast<f32>(x)));
  } else if constexpr (__is_same(To, bf16)) {
    return bfloat_to_float(float_to_bfloat(cast<f32>(x)));
  } else if constexpr (is_float8<To>) {
    return float8_to_float<To>(float_to_float8<To>(cast<f32>(x)));
  } else if constexpr (is_float<From> && !is_float<To>) {
    if constexpr (sizeof(To) < 4 && __is_same(From, f32))
      return convert<To>(saturate<To>(x));
    else if constexpr (sizeof(To) < 4)
      return convert<To>(max(min(float_to_int<i32>(x), set1<i32>(int_max<To>)), set1<i32>(int_min<To>)));
    else
      return float_to_int<To>(x);
  } else if constexpr (through_i32<To, From>) {
    return convert<To>(convert<i32>(x));
  } else {
    return convert<To>(x);
  }
}

template <class To>
VEC_FN Loaded<To> cast(M m) {
  if constexpr (__is_same(Loaded<To>, M)) {
    return m;
  } else {
    typedef typename Loaded<To>::Element E;
    return select(m, set1<E>(E(1)), zero<E>());
  }
}

}  // namespace VEC_ISA
}  // namespace vec
