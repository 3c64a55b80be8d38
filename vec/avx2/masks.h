// A mask is eight 32-bit lanes, all ones or zero; other element sizes widen or narrow it.
#pragma once

namespace vec {
inline namespace VEC_ISA {

typedef int Ints __attribute__((vector_size(32)));
typedef float Floats __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(32)));
typedef long long Longs __attribute__((vector_size(32)));
typedef char BuiltinBytes __attribute__((vector_size(32)));

// Integers of one width as integers of half or a quarter of it: the low bytes of every lane.
template <class To, class From>
VEC_FN Part<To> narrow(Part<From> a) {
  typedef VectorOf<To, sizeof(a) / sizeof(To)> Pieces;
  const typename Pieces::type x = (typename Pieces::type)a;
  if constexpr (sizeof(From) == 2 * sizeof(To)) {
    return __builtin_shufflevector(x, x, 0, 2, 4, 6, 8, 10, 12, 14);
  } else {
    // Each 128-bit half packs its four bytes into its first word; the two words are then neighbours.
    const BuiltinBytes order = {0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const Ints words = (Ints)__builtin_ia32_pshufb256((BuiltinBytes)a, order);
    typedef int Pair __attribute__((vector_size(8)));
    return (Part<To>)Pair{words[0], words[4]};
  }
}

VEC_FN V<u8> narrow_saturated(V<u32> a) {
  return {narrow<u8, u32>((Part<u32>)__builtin_ia32_pminud256((Ints)a.v, Ints{} + 255))};
}

// Integers of one or two bytes as wider ones. The compiler takes __builtin_convertvector of these apart into lanes.
template <class To, class From>
VEC_FN Part<To> widen(Part<From> a) {
  typedef char Bytes16 __attribute__((vector_size(16)));
  typedef short Words8 __attribute__((vector_size(16)));
  typedef long long Longs2 __attribute__((vector_size(16)));
  if constexpr (sizeof(From) == 1) {
    const Bytes16 x = (Bytes16)Longs2{(long long)a, 0};
    if constexpr (sizeof(To) == 2 && is_signed<From>)
      return (Part<To>)__builtin_ia32_pmovsxbw128(x);
    else if constexpr (sizeof(To) == 2)
      return (Part<To>)__builtin_ia32_pmovzxbw128(x);
    else if constexpr (is_signed<From>)
      return (Part<To>)__builtin_ia32_pmovsxbd256(x);
    else
      return (Part<To>)__builtin_ia32_pmovzxbd256(x);
  } else if constexpr (is_signed<From>) {
    return (Part<To>)__builtin_ia32_pmovsxwd256((Words8)a);
  } else {
    return (Part<To>)__builtin_ia32_pmovzxwd256((Words8)a);
  }
}

struct M {
  Ints v;
};
VEC_FN M first_n(int n) { return {iota_part<i32>() < n}; }
VEC_FN bool test(M m, int i) { return m.v[i] != 0; }
VEC_FN bool any(M m) { return __builtin_ia32_movmskps256((Floats)m.v) != 0; }
VEC_FN bool all(M m) { return __builtin_ia32_movmskps256((Floats)m.v) == 0xff; }
VEC_FN M m_and(M a, M b) { return {a.v & b.v}; }
VEC_FN M m_or(M a, M b) { return {a.v | b.v}; }
VEC_FN M m_xor(M a, M b) { return {a.v ^ b.v}; }
VEC_FN M m_not(M a) { return {~a.v}; }
VEC_FN M select(M m, M a, M b) { return {(a.v & m.v) | (b.v & ~m.v)}; }

typedef int HalfInts __attribute__((vector_size(16)));
VEC_FN Part<i64> mask_low(M m) {
  return __builtin_convertvector(__builtin_shufflevector(m.v, m.v, 0, 1, 2, 3), Part<i64>);
}
VEC_FN Part<i64> mask_high(M m) {
  return __builtin_convertvector(__builtin_shufflevector(m.v, m.v, 4, 5, 6, 7), Part<i64>);
}
// The mask as a vector of the size of T (four bytes or fewer).
template <class T>
VEC_FN Part<Signed<T>> mask_part(M m) {
  if constexpr (sizeof(T) == 4)
    return m.v;
  else
    return narrow<Signed<T>, i32>(m.v);
}

template <class T>
VEC_FN V<T> select(M m, V<T> a, V<T> b) {
  if constexpr (wide<T>)
    return {mask_low(m) ? a.lo : b.lo, mask_high(m) ? a.hi : b.hi};
  else
    return {mask_part<T>(m) ? a.v : b.v};
}

template <int P, class R>
VEC_FN auto compare_part(R a, R b) {
  if constexpr (P == kEq)
    return a == b;
  else if constexpr (P == kNe)
    return a != b;
  else if constexpr (P == kLt)
    return a < b;
  else if constexpr (P == kLe)
    return a <= b;
  else if constexpr (P == kGt)
    return a > b;
  else
    return a >= b;
}

template <int P, class T>
VEC_FN M compare(V<T> a, V<T> b) {
  if constexpr (wide<T>)
    return {__builtin_shufflevector((Ints)compare_part<P>(a.lo, b.lo), (Ints)compare_part<P>(a.hi, b.hi), 0, 2, 4, 6, 8,
                                    10, 12, 14)};
  else if constexpr (sizeof(T) == 4)
    return {compare_part<P>(a.v, b.v)};
  else
    return {widen<i32, Signed<T>>(compare_part<P>(a.v, b.v))};
}

constexpr int kUnordered = 3;  // of vcmpps and vcmppd
VEC_FN Ints unordered_part(Floats a, Floats b) { return (Ints)__builtin_ia32_cmpps256(a, b, kUnordered); }
VEC_FN Longs unordered_part(Doubles a, Doubles b) { return (Longs)__builtin_ia32_cmppd256(a, b, kUnordered); }
template <class T>
VEC_FN M unordered(V<T> a, V<T> b) {
  if constexpr (wide<T>)
    return {__builtin_shufflevector((Ints)unordered_part(a.lo, b.lo), (Ints)unordered_part(a.hi, b.hi), 0, 2, 4, 6, 8,
                                    10, 12, 14)};
  else
    return {unordered_part(a.v, b.v)};
}
// The bits of a mask are those of a NaN.
template <class T>
VEC_FN V<T> nan_where(M m, V<T>, V<T> a) {
  if constexpr (wide<T>)
    return {(Part<T>)((Longs)a.lo | (Longs)mask_low(m)), (Part<T>)((Longs)a.hi | (Longs)mask_high(m))};
  else
    return {(Part<T>)((Ints)a.v | m.v)};
}

}  // namespace VEC_ISA
}  // namespace vec
