// A mask is eight 32-bit lanes, all ones or zero; other element sizes widen or narrow it.
#pragma once

namespace vec {
inline namespace VEC_ISA {

typedef int Ints __attribute__((vector_size(32)));
typedef float Floats __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(32)));
typedef long long Longs __attribute__((vector_size(32)));

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
    return __builtin_convertvector(m.v, Part<Signed<T>>);
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
    return {__builtin_convertvector(compare_part<P>(a.v, b.v), Ints)};
}
template <class T>
VEC_FN M unordered(V<T> a, V<T> b) {
  return m_or(compare<kNe>(a, a), compare<kNe>(b, b));
}

}  // namespace VEC_ISA
}  // namespace vec
