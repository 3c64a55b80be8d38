// Partial and indexed access, and the 8 x 8 transpose.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// Up to 7 bytes of memory as an integer, by pieces of 4, 2 and 1 bytes.
VEC_FN u64 load_bytes(const u8* p, int n) {
  u64 r = 0;
  int at = 0;
  if (n & 4) {
    u32 x;
    memcpy(&x, p, 4);
    r = x;
    at = 4;
  }
  if (n & 2) {
    u16 x;
    memcpy(&x, p + at, 2);
    r |= u64(x) << (8 * at);
    at += 2;
  }
  if (n & 1) r |= u64(p[at]) << (8 * at);
  return r;
}
VEC_FN void store_bytes(u8* p, u64 x, int n) {
  if (n & 4) {
    memcpy(p, &x, 4);
    x >>= 32;
    p += 4;
  }
  if (n & 2) {
    memcpy(p, &x, 2);
    x >>= 16;
    p += 2;
  }
  if (n & 1) *p = u8(x);
}

template <class T>
constexpr bool has_masked_load = sizeof(T) >= 4;
constexpr bool masked_load_blends = true;  // lanes that are masked out take an instruction more

template <class T>
VEC_FN V<T> load_masked(const T* p, M m, V<T> otherwise = V<T>{}) {
  if constexpr (sizeof(T) == 8) {
    const V<T> there = {(Part<T>)__builtin_ia32_maskloadq256((const Longs*)p, (Longs)mask_low(m)),
                        (Part<T>)__builtin_ia32_maskloadq256((const Longs*)(p + L / 2), (Longs)mask_high(m))};
    return select(m, there, otherwise);
  } else {
    return select(m, V<T>{(Part<T>)__builtin_ia32_maskloadd256((const Ints*)p, m.v)}, otherwise);
  }
}

// AVX2 masks 4- and 8-byte lanes only: narrower tails are assembled from integers.
template <class T>
VEC_FN V<T> load_vector(const T* p, int n) {
  const M m = first_n(n);
  if constexpr (sizeof(T) == 8) {
    return {(Part<T>)__builtin_ia32_maskloadq256((const Longs*)p, (Longs)mask_low(m)),
            (Part<T>)__builtin_ia32_maskloadq256((const Longs*)(p + L / 2), (Longs)mask_high(m))};
  } else if constexpr (sizeof(T) == 4) {
    return {(Part<T>)__builtin_ia32_maskloadd256((const Ints*)p, m.v)};
  } else {
    const int bytes = n * int(sizeof(T));
    u64 words[sizeof(T)] = {};
    if (bytes & 16) return load_vector<T>(p);
    if (bytes & 8) memcpy(&words[0], p, 8);
    if constexpr (sizeof(T) == 2)
      words[bytes >> 3] = load_bytes((const u8*)p + (bytes & 8), bytes);
    else if (!(bytes & 8))
      words[0] = load_bytes((const u8*)p, bytes);
    V<T> r;
    memcpy(&r, words, sizeof r);
    return r;
  }
}

// n lanes of 4 bytes, by pieces of 8, 4, 2 and 1: masked stores are slow on some AMD processors.
VEC_FN void store_words(void* to, Ints x, int n) {
  typedef long long TwoLongs __attribute__((vector_size(16)));
  char* p = (char*)to;
  HalfInts rest = __builtin_shufflevector(x, x, 0, 1, 2, 3);
  if (n >= L) return (void)memcpy(p, &x, 32);
  if (n & 4) {
    memcpy(p, &rest, 16);
    p += 16;
    rest = __builtin_shufflevector(x, x, 4, 5, 6, 7);
  }
  if (n & 2) {
    const long long pair = ((TwoLongs)rest)[0];
    memcpy(p, &pair, 8);
    p += 8;
    rest = __builtin_shufflevector(rest, rest, 2, 3, 2, 3);
  }
  if (n & 1) memcpy(p, &rest, 4);
}

template <class T>
VEC_FN void store_vector(T* p, V<T> x, int n) {
  if constexpr (sizeof(T) == 8) {
    const M m = first_n(n);
    __builtin_ia32_maskstoreq256((Longs*)p, (Longs)mask_low(m), (Longs)x.lo);
    __builtin_ia32_maskstoreq256((Longs*)(p + L / 2), (Longs)mask_high(m), (Longs)x.hi);
  } else if constexpr (sizeof(T) == 4) {
    store_words(p, (Ints)x.v, n);
  } else {
    const int bytes = n * int(sizeof(T));
    u64 words[sizeof(T)];
    memcpy(words, &x, sizeof x);
    if (n == L) return store_vector<T>(p, x);
    u64 rest = words[0];
    if constexpr (sizeof(T) == 2)
      if (bytes & 8) {
        memcpy(p, &words[0], 8);
        rest = words[1];
      }
    store_bytes((u8*)p + (bytes & 8), rest, bytes);
  }
}

template <class T>
constexpr bool has_gather = is_float<T> || __is_same(T, i32) || __is_same(T, u32) || __is_same(T, i64) ||
                            __is_same(T, u64);

template <class T>
VEC_FN V<T> gather_vector(const T* base, V<i64> index, M active) {
  const Longs lo = (Longs)index.lo, hi = (Longs)index.hi;
  if constexpr (sizeof(T) == 8) {
    return {(Part<T>)__builtin_ia32_gatherdiv4di(Longs{}, (const long long*)base, lo, (Longs)mask_low(active), 8),
            (Part<T>)__builtin_ia32_gatherdiv4di(Longs{}, (const long long*)base, hi, (Longs)mask_high(active), 8)};
  } else {
    const HalfInts low_mask = __builtin_shufflevector(active.v, active.v, 0, 1, 2, 3);
    const HalfInts high_mask = __builtin_shufflevector(active.v, active.v, 4, 5, 6, 7);
    return {join<T>((Half<T>)__builtin_ia32_gatherdiv4si256(HalfInts{}, (const int*)base, lo, low_mask, 4),
                    (Half<T>)__builtin_ia32_gatherdiv4si256(HalfInts{}, (const int*)base, hi, high_mask, 4))};
  }
}

// Three rounds of interleaving: words, pairs of words, 128-bit blocks.
VEC_FN void transpose_words(i32* dst, i64 dst_stride, const i32* src, i64 src_stride) {
  Ints r[8], t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i++) r[i] = load_vector<i32>(src + i * src_stride).v;
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4)
#pragma GCC unroll 2
    for (int j = 0; j < 2; j++) {
      r[i + 2 * j] = __builtin_shufflevector(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + 2 * j + 1] = __builtin_shufflevector(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    // r[4*q + c] holds, in its two blocks b, rows 4q .. 4q+3 of column 4b + c.
#pragma GCC unroll 4
  for (int c = 0; c < 4; c++) {
    t[c] = __builtin_shufflevector(r[c], r[4 + c], 0, 1, 2, 3, 8, 9, 10, 11);
    t[4 + c] = __builtin_shufflevector(r[c], r[4 + c], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; i++) store_vector<i32>(dst + i * dst_stride, V<i32>{t[i]});
}

VEC_FN void fence() { __builtin_ia32_sfence(); }

}  // namespace VEC_ISA
}  // namespace vec
