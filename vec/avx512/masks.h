// Masks are k registers: bit i is lane i, for every element type.
#pragma once

namespace vec {
inline namespace VEC_ISA {

struct M {
  u16 k;
};
VEC_FN M first_n(int n) { return {u16((1u << n) - 1)}; }
VEC_FN bool test(M m, int i) { return m.k >> i & 1; }
VEC_FN bool any(M m) { return m.k != 0; }
VEC_FN bool all(M m) { return m.k == 0xffff; }
VEC_FN M m_and(M a, M b) { return {u16(a.k & b.k)}; }
VEC_FN M m_or(M a, M b) { return {u16(a.k | b.k)}; }
VEC_FN M m_xor(M a, M b) { return {u16(a.k ^ b.k)}; }
VEC_FN M m_not(M a) { return {u16(~a.k)}; }
VEC_FN M select(M m, M a, M b) { return {u16((a.k & m.k) | (b.k & ~m.k))}; }

// The types that the compiler's builtins take.
typedef char Bytes __attribute__((vector_size(16)));
typedef short Words __attribute__((vector_size(32)));
typedef int Ints __attribute__((vector_size(64)));
typedef long long Longs __attribute__((vector_size(64)));
typedef float Floats __attribute__((vector_size(64)));
typedef double Doubles __attribute__((vector_size(64)));
constexpr int kCurrentRounding = 4;

// Integers of one width as integers of half or a quarter of it. For these two the compiler would take
// __builtin_convertvector apart into lanes when the operand is in memory.
template <class To, class From>
VEC_FN Part<To> narrow(Part<From> a) {
  if constexpr (sizeof(From) == 2)
    return (Part<To>)__builtin_ia32_pmovwb256_mask((Words)a, Bytes{}, -1);
  else if constexpr (sizeof(To) == 2)
    return (Part<To>)__builtin_ia32_pmovdw512_mask((Ints)a, Words{}, -1);
  else
    return (Part<To>)__builtin_ia32_pmovdb512_mask((Ints)a, Bytes{}, -1);
}

VEC_FN V<u8> narrow_saturated(V<u32> a) { return {(Part<u8>)__builtin_ia32_pmovusdb512_mask((Ints)a.v, Bytes{}, -1)}; }

// Integers of one or two bytes as wider ones.
template <class To, class From>
VEC_FN Part<To> widen(Part<From> a) {
  if constexpr (sizeof(To) == 2 && is_signed<From>)
    return (Part<To>)__builtin_ia32_pmovsxbw256((Bytes)a);
  else if constexpr (sizeof(To) == 2)
    return (Part<To>)__builtin_ia32_pmovzxbw256((Bytes)a);
  else if constexpr (sizeof(From) == 1 && is_signed<From>)
    return (Part<To>)__builtin_ia32_pmovsxbd512_mask((Bytes)a, Ints{}, -1);
  else if constexpr (sizeof(From) == 1)
    return (Part<To>)__builtin_ia32_pmovzxbd512_mask((Bytes)a, Ints{}, -1);
  else if constexpr (is_signed<From>)
    return (Part<To>)__builtin_ia32_pmovsxwd512_mask((Words)a, Ints{}, -1);
  else
    return (Part<To>)__builtin_ia32_pmovzxwd512_mask((Words)a, Ints{}, -1);
}

template <class T>
VEC_FN V<T> select(M m, V<T> a, V<T> b) {
  typedef Part<T> P;
  if constexpr (__is_same(T, f32))
    return {__builtin_ia32_blendmps_512_mask(b.v, a.v, m.k)};
  else if constexpr (__is_same(T, f64))
    return {__builtin_ia32_blendmpd_512_mask(b.lo, a.lo, u8(m.k)),
            __builtin_ia32_blendmpd_512_mask(b.hi, a.hi, u8(m.k >> 8))};
  else if constexpr (sizeof(T) == 8)
    return {(P)__builtin_ia32_blendmq_512_mask((Longs)b.lo, (Longs)a.lo, u8(m.k)),
            (P)__builtin_ia32_blendmq_512_mask((Longs)b.hi, (Longs)a.hi, u8(m.k >> 8))};
  else if constexpr (sizeof(T) == 4)
    return {(P)__builtin_ia32_blendmd_512_mask((Ints)b.v, (Ints)a.v, m.k)};
  else if constexpr (sizeof(T) == 2)
    return {(P)__builtin_ia32_blendmw_256_mask((Words)b.v, (Words)a.v, m.k)};
  else
    return {(P)__builtin_ia32_blendmb_128_mask((Bytes)b.v, (Bytes)a.v, m.k)};
}

// Quiet floating point predicates: false for NaN, except not-equal.
constexpr int float_predicate(int p) {
  return p == kEq ? 0x00 : p == kLt ? 0x11 : p == kLe ? 0x12 : p == kNe ? 0x04 : p == kGe ? 0x1d : 0x1e;
}
constexpr int kUnordered = 3;

template <int F>
VEC_FN M compare_floats(V<f32> a, V<f32> b) {
  return {u16(__builtin_ia32_cmpps512_mask(a.v, b.v, F, -1, kCurrentRounding))};
}
template <int F>
VEC_FN M compare_floats(V<f64> a, V<f64> b) {
  const u32 lo = u8(__builtin_ia32_cmppd512_mask(a.lo, b.lo, F, -1, kCurrentRounding));
  const u32 hi = u8(__builtin_ia32_cmppd512_mask(a.hi, b.hi, F, -1, kCurrentRounding));
  return {u16(lo | hi << 8)};
}
template <class T>
VEC_FN M unordered(V<T> a, V<T> b) {
  return compare_floats<kUnordered>(a, b);
}
template <class T>
VEC_FN V<T> nan_where(M m, V<T> nan, V<T> a) {
  return select(m, nan, a);
}

template <int P, class T>
VEC_FN M compare(V<T> a, V<T> b) {
  if constexpr (is_float<T>) {
    return compare_floats<float_predicate(P)>(a, b);
  } else if constexpr (sizeof(T) == 8) {
    u32 lo, hi;
    if constexpr (is_signed<T>) {
      lo = u8(__builtin_ia32_cmpq512_mask((Longs)a.lo, (Longs)b.lo, P, -1));
      hi = u8(__builtin_ia32_cmpq512_mask((Longs)a.hi, (Longs)b.hi, P, -1));
    } else {
      lo = u8(__builtin_ia32_ucmpq512_mask((Longs)a.lo, (Longs)b.lo, P, -1));
      hi = u8(__builtin_ia32_ucmpq512_mask((Longs)a.hi, (Longs)b.hi, P, -1));
    }
    return {u16(lo | hi << 8)};
  } else if constexpr (sizeof(T) == 4) {
    if constexpr (is_signed<T>)
      return {u16(__builtin_ia32_cmpd512_mask((Ints)a.v, (Ints)b.v, P, -1))};
    else
      return {u16(__builtin_ia32_ucmpd512_mask((Ints)a.v, (Ints)b.v, P, -1))};
  } else if constexpr (sizeof(T) == 2) {
    if constexpr (is_signed<T>)
      return {u16(__builtin_ia32_cmpw256_mask((Words)a.v, (Words)b.v, P, -1))};
    else
      return {u16(__builtin_ia32_ucmpw256_mask((Words)a.v, (Words)b.v, P, -1))};
  } else {
    if constexpr (is_signed<T>)
      return {u16(__builtin_ia32_cmpb128_mask((Bytes)a.v, (Bytes)b.v, P, -1))};
    else
      return {u16(__builtin_ia32_ucmpb128_mask((Bytes)a.v, (Bytes)b.v, P, -1))};
  }
}

}  // namespace VEC_ISA
}  // namespace vec
