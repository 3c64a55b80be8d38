// Memory access for every storage type.
//
// The ISA header supplies, for the ten arithmetic types,
//   load_vector<T>(const T*), load_vector<T>(const T*, n), store_vector<T>(T*, v), store_vector<T>(T*, v, n)
//   gather_vector<T>(const T*, V<i64>, M) where has_gather<T>
//   load_masked<T>(const T*, M, V<T> otherwise) where has_masked_load<T>; masked_load_blends
// For all functions here 0 <= n <= L. Lanes from n on, and inactive lanes, are zero and their memory is never touched.
// No alignment is needed.
#pragma once

namespace vec {
inline namespace VEC_ISA {

template <class T>
VEC_FN Loaded<T> load(const T* p) {
  if constexpr (__is_same(T, f16))
    return half_to_float(load_vector<u16>((const u16*)p));
  else if constexpr (__is_same(T, bf16))
    return bfloat_to_float(load_vector<u16>((const u16*)p));
  else if constexpr (is_float8<T>)
    return float8_to_float<T>(load_vector<u8>((const u8*)p));
  else if constexpr (__is_same(T, b8))
    return cast<b8>(load_vector<u8>((const u8*)p));
  else
    return load_vector<T>(p);
}

template <class T>
VEC_FN Loaded<T> load(const T* p, int n) {
  if constexpr (__is_same(T, f16))
    return half_to_float(load_vector<u16>((const u16*)p, n));
  else if constexpr (__is_same(T, bf16))
    return bfloat_to_float(load_vector<u16>((const u16*)p, n));
  else if constexpr (is_float8<T>)
    return float8_to_float<T>(load_vector<u8>((const u8*)p, n));
  else if constexpr (__is_same(T, b8))
    return cast<b8>(load_vector<u8>((const u8*)p, n));
  else
    return load_vector<T>(p, n);
}

// f16, bf16 and float8: rounds to nearest even, NaN stays NaN. b8: writes 0 or 1.
template <class T>
VEC_FN void store(T* p, Loaded<T> x) {
  if constexpr (__is_same(T, f16))
    store_vector<u16>((u16*)p, float_to_half(x));
  else if constexpr (__is_same(T, bf16))
    store_vector<u16>((u16*)p, float_to_bfloat(x));
  else if constexpr (is_float8<T>)
    store_vector<u8>((u8*)p, float_to_float8<T>(x));
  else if constexpr (__is_same(T, b8))
    store_vector<u8>((u8*)p, cast<u8>(x));
  else
    store_vector<T>(p, x);
}

template <class T>
VEC_FN void store(T* p, Loaded<T> x, int n) {
  if constexpr (__is_same(T, f16))
    store_vector<u16>((u16*)p, float_to_half(x), n);
  else if constexpr (__is_same(T, bf16))
    store_vector<u16>((u16*)p, float_to_bfloat(x), n);
  else if constexpr (is_float8<T>)
    store_vector<u8>((u8*)p, float_to_float8<T>(x), n);
  else if constexpr (__is_same(T, b8))
    store_vector<u8>((u8*)p, cast<u8>(x), n);
  else
    store_vector<T>(p, x, n);
}

// base[index[i]] for active lanes; indices may be negative.
template <class T>
VEC_FN Loaded<T> gather(const T* base, V<i64> index, M active) {
  if constexpr (has_gather<T>) {
    return gather_vector<T>(base, index, active);
  } else {
    T lanes[L] = {};
    for (int i = 0; i < L; i++)
      if (test(active, i)) lanes[i] = base[lane(index, i)];
    return load(lanes);
  }
}

// base[index[i]] = x[i] for active lanes, in lane order: of equal indices the last lane wins.
template <class T>
VEC_FN void scatter(T* base, V<i64> index, Loaded<T> x, M active) {
  T lanes[L];
  store(lanes, x);
  for (int i = 0; i < L; i++)
    if (test(active, i)) base[lane(index, i)] = lanes[i];
}

// p[i * 2], i < n: two contiguous vectors, of which every other lane is kept.
template <class T>
VEC_FN Loaded<T> load_every_other(const T* p, int n) {
  const int elements = n > 0 ? 2 * n - 1 : 0;
  const Loaded<T> first = load(p, elements < L ? elements : L);
  if (elements <= L) return evens(first, Loaded<T>{});
  return evens(first, load(p + L, elements - L));
}

// p[i * stride], i < n.
template <class T>
VEC_FN Loaded<T> load_strided(const T* p, i64 stride, int n) {
  if constexpr (!__is_same(Loaded<T>, M))
    if (stride == 2) return load_every_other(p, n);
  if constexpr (has_gather<T>) {
    return gather_vector<T>(p, iota<i64>(0) * set1<i64>(stride), first_n(n));
  } else {
    T lanes[L] = {};
    for (int i = 0; i < n; i++) lanes[i] = p[i * stride];
    return load(lanes);
  }
}
template <class T>
VEC_FN Loaded<T> load_strided(const T* p, i64 stride) {
  return load_strided<T>(p, stride, L);
}

template <class T>
VEC_FN void store_strided(T* p, i64 stride, Loaded<T> x, int n) {
  T lanes[L];
  store(lanes, x);
  for (int i = 0; i < n; i++) p[i * stride] = lanes[i];
}
template <class T>
VEC_FN void store_strided(T* p, i64 stride, Loaded<T> x) {
  store_strided<T>(p, stride, x, L);
}

template <int... I>
struct Lanes {};
template <int N, int... I>
struct LanesUpTo : LanesUpTo<N - 1, N - 1, I...> {};
template <int... I>
struct LanesUpTo<0, I...> {
  typedef Lanes<I...> type;
};
// Tells where lane i of vector k of `count` interleaved ones comes from: the first vector and vector `step`, one after
// the other, if step is 1, otherwise the result so far and vector `step`.
constexpr int interleaved_lane(int count, int k, int step, int i) {
  const int vector = (k * L + i) % count, lane = (k * L + i) / count;
  return vector == step ? L + lane : step == 1 ? lane : i;
}
template <int C, int K, int Step, class T, int... I>
VEC_FN V<T> interleaved(V<T> so_far, const V<T>* x, Lanes<I...> lanes) {
  const V<T> merged{__builtin_shufflevector(so_far.v, x[Step].v, interleaved_lane(C, K, Step, I)...)};
  if constexpr (Step + 1 < C)
    return interleaved<C, K, Step + 1>(merged, x, lanes);
  else
    return merged;
}
// Lane i of vector c at p[C * i + c]: elements of four bytes.
template <int K = 0, class T, int C>
VEC_FN void store_interleaved(T* p, const V<T> (&x)[C]) {
  store(p + K * L, interleaved<C, K, 1>(x[0], x, typename LanesUpTo<L>::type()));
  if constexpr (K + 1 < C) store_interleaved<K + 1>(p, x);
}

VEC_FN void prefetch(const void* p) { __builtin_prefetch(p, 0, 3); }
VEC_FN void prefetch_written(const void* p) { __builtin_prefetch(p, 1, 3); }

}  // namespace VEC_ISA
}  // namespace vec
