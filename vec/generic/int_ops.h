// Integer division and shifts, and the remainders of integers and floats. Nothing traps: a zero divisor gives 0 (both
// quotient and remainder), and the most negative value divided by -1 gives itself, remainder 0.
#pragma once

namespace vec {
inline namespace VEC_ISA {

template <class T>
VEC_FN T divide_lane(T a, T b) {
  if (b == 0) return 0;
  if constexpr (is_signed<T>)
    if (b == -1) return T(Unsigned<T>(0) - Unsigned<T>(a));
  return T(a / b);
}

// Truncating division of 8-byte integers, lane by lane: there is no such vector instruction.
template <class T>
static __attribute__((noinline, unused)) V<T> divide_lanes(V<T> a, V<T> b) {
  T x[L], y[L];
  memcpy(x, &a, sizeof x);
  memcpy(y, &b, sizeof y);
#pragma GCC unroll 1
  for (int i = 0; i < L; i++) x[i] = divide_lane(x[i], y[i]);
  memcpy(&a, x, sizeof x);
  return a;
}

// Floats: IEEE. Integers: truncates toward zero.
template <class T>
VEC_FN V<T> div(V<T> a, V<T> b) {
  if constexpr (is_float<T>) {
    VEC_MAP2(T, div_part<T>)
  } else if constexpr (sizeof(T) == 8) {
    return divide_lanes(a, b);
  } else {
    // The quotient of integers of p bits differs from the next integer by a relative 2^-p at least, so a float of more
    // than p + 1 bits rounds it to the right side.
    typedef typename ChooseType<(sizeof(T) < 4), f32, f64>::type F;
    const M by_zero = eq(b, zero<T>());
    M special = by_zero;
    if constexpr (is_signed<T>) special = m_or(special, eq(b, set1<T>(T(-1))));
    const V<F> q = div(cast<F>(a), cast<F>(select(special, set1<T>(T(1)), b)));
    V<T> r;
    if constexpr (__is_same(T, u32)) {
      // Signed conversions are everywhere a single instruction: move the range down and up again.
      r = bits_as<u32>(convert<i32>(trunc(q) - set1<f64>(0x1p31))) + set1<u32>(0x80000000);
    } else {
      r = convert<T>(convert<i32>(q));
    }
    if constexpr (is_signed<T>) r = select(special, -a, r);
    return select(by_zero, zero<T>(), r);
  }
}

// Sign of the dividend: C's % and fmod (exact, for all finite operands; a zero divisor or infinite dividend is NaN).
template <class T>
VEC_FN V<T> mod_trunc(V<T> a, V<T> b) {
  if constexpr (is_float<T>) {
    return float_remainder(a, b);
  } else {
    const V<T> r = a - div(a, b) * b;
    return select(ne(b, zero<T>()), r, zero<T>());
  }
}

// Sign of the divisor: Python's %. For floats a zero result has the sign of the divisor.
template <class T>
VEC_FN V<T> mod_floor(V<T> a, V<T> b) {
  const V<T> z = zero<T>(), r = mod_trunc(a, b);
  if constexpr (is_float<T>) {
    const V<T> moved = select(m_xor(lt(r, z), lt(b, z)), r + b, r);
    return select(eq(r, z), copysign(z, b), moved);
  } else if constexpr (is_signed<T>) {
    return select(m_and(ne(r, z), m_xor(lt(r, z), lt(b, z))), r + b, r);
  } else {
    return r;
  }
}

// a * 2^count. A count outside 0 .. width-1 gives 0.
template <class T>
VEC_FN V<T> shl(V<T> a, V<T> count) {
  if constexpr (sizeof(T) < 4) {
    return cast<T>(shl(cast<u32>(a), cast<u32>(cast<Unsigned<T>>(count))));
  } else {
    typedef Unsigned<T> U;
    const V<U> n = bits_as<U>(count), width = set1<U>(8 * sizeof(T));
    return select(lt(n, width), bits_as<T>(shift_left(bits_as<U>(a), bit_and(n, width - set1<U>(1)))), zero<T>());
  }
}

// floor(a / 2^count): arithmetic for signed types. A count outside 0 .. width-1 gives 0, or -1 for a negative a.
template <class T>
VEC_FN V<T> shr(V<T> a, V<T> count) {
  typedef Unsigned<T> U;
  const V<U> n = bits_as<U>(count), width = set1<U>(8 * sizeof(T)), most = width - set1<U>(1);
  // The sign of a fills all bits after the greatest count.
  const V<U> moved = is_signed<T> ? select(lt(n, width), n, most) : bit_and(n, most);
  if constexpr (sizeof(T) < 4) {
    typedef typename ChooseType<is_signed<T>, i32, u32>::type Wide;
    const V<T> r = cast<T>(shift_right(cast<Wide>(a), cast<u32>(moved)));
    return is_signed<T> ? r : select(lt(n, width), r, zero<T>());
  } else {
    const V<T> r = shift_right(a, moved);
    return is_signed<T> ? r : select(lt(n, width), r, zero<T>());
  }
}

}  // namespace VEC_ISA
}  // namespace vec
