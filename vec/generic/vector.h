// V<T> for ISAs with vector registers: one register (or part of one) for types of up to four bytes, two for eight.
// Included by an ISA header after it has defined L.
#pragma once

namespace vec {
inline namespace VEC_ISA {

template <class T>
constexpr bool wide = sizeof(T) == 8;

template <class T, int N>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
template <class T>
using Part = typename VectorOf<T, wide<T> ? L / 2 : L>::type;
template <class T>
using Half = typename VectorOf<T, L / 2>::type;  // half of a vector of a four-byte type
template <class T>
using Calc = Part<Unsigned<T>>;

// L lanes of T, lane 0 first.
template <class T>
struct V {
  typedef T Element;
  Part<T> v;
};
template <>
struct V<f64> {
  typedef f64 Element;
  Part<f64> lo, hi;
};
template <>
struct V<i64> {
  typedef i64 Element;
  Part<i64> lo, hi;
};
template <>
struct V<u64> {
  typedef u64 Element;
  Part<u64> lo, hi;
};

// One part with lanes 0, 1, 2, ...
template <class T>
VEC_FN Part<T> iota_part() {
  if constexpr (sizeof(Part<T>) / sizeof(T) == 4)
    return Part<T>{0, 1, 2, 3};
  else if constexpr (sizeof(Part<T>) / sizeof(T) == 8)
    return Part<T>{0, 1, 2, 3, 4, 5, 6, 7};
  else
    return Part<T>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

template <class T>
VEC_FN Part<T> splat(T x) {
  return x - Part<T>{};
}

template <class T>
VEC_FN T lane(V<T> a, int i) {
  if constexpr (wide<T>)
    return i < L / 2 ? a.lo[i] : a.hi[i - L / 2];
  else
    return a.v[i];
}

// Lane i of the result is lane i ^ K, for a power of two K: mostly within halves, where shuffles have the least
// latency.
template <int K, class T>
VEC_FN V<T> exchange(V<T> a) {
  typedef Signed<T> S;
  if constexpr (!wide<T>)
    return {__builtin_shuffle(a.v, iota_part<S>() ^ S(K))};
  else if constexpr (K == L / 2)
    return {a.hi, a.lo};
  else
    return {__builtin_shuffle(a.lo, iota_part<S>() ^ S(K)), __builtin_shuffle(a.hi, iota_part<S>() ^ S(K))};
}

// Lane i of the result is lane i - n, 0 <= n <= L; lanes below n are unspecified.
template <class T>
VEC_FN V<T> shift_up(V<T> a, int n) {
  typedef Signed<T> S;
  if constexpr (!wide<T>)
    return {__builtin_shuffle(a.v, (iota_part<S>() - S(n)) & S(L - 1))};
  else
    return {__builtin_shuffle(a.lo, a.hi, (iota_part<S>() - S(n)) & S(L - 1)),
            __builtin_shuffle(a.lo, a.hi, (iota_part<S>() + S(L / 2 - n)) & S(L - 1))};
}

// The lanes of even number of a, then those of b.
template <class T>
VEC_FN V<T> evens(V<T> a, V<T> b) {
  typedef Signed<T> S;
  if constexpr (L == 8 && sizeof(T) == 4) {
    // Lanes are permuted within halves first: AVX2 has no instruction that takes any lanes of two registers.
    typedef VectorOf<i64, 4> Pairs;
    const auto pairs = (typename Pairs::type)__builtin_shufflevector(a.v, b.v, 0, 2, 8, 10, 4, 6, 12, 14);
    return {(Part<T>)__builtin_shufflevector(pairs, pairs, 0, 2, 1, 3)};
  } else if constexpr (!wide<T>)
    return {__builtin_shuffle(a.v, b.v, iota_part<S>() * S(2))};
  else
    return {__builtin_shuffle(a.lo, a.hi, iota_part<S>() * S(2)), __builtin_shuffle(b.lo, b.hi, iota_part<S>() * S(2))};
}

// Lane i of the result is lane i / F * G, below L.
template <int F, int G, class T>
VEC_FN V<T> repeat_lanes(V<T> a) {
  typedef Signed<T> S;
  if constexpr (!wide<T>)
    return {__builtin_shuffle(a.v, iota_part<S>() / S(F) * S(G))};
  else
    return {__builtin_shuffle(a.lo, a.hi, iota_part<S>() / S(F) * S(G)),
            __builtin_shuffle(a.lo, a.hi, (iota_part<S>() + S(L / 2)) / S(F) * S(G))};
}

}  // namespace VEC_ISA
}  // namespace vec
