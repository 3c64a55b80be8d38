// Masked and indexed access, and the 16 x 16 transpose.
#pragma once

namespace vec {
inline namespace VEC_ISA {

template <class T>
constexpr bool has_masked_load = true;
constexpr bool masked_load_blends = false;  // lanes that are masked out take an instruction more

template <class T>
VEC_FN V<T> load_masked(const T* p, M m, V<T> otherwise = V<T>{}) {
  typedef Part<T> P;
  if constexpr (sizeof(T) == 8)
    return {(P)__builtin_ia32_loaddqudi512_mask((const long long*)p, (Longs)otherwise.lo, u8(m.k)),
            (P)__builtin_ia32_loaddqudi512_mask((const long long*)(p + L / 2), (Longs)otherwise.hi, u8(m.k >> 8))};
  else if constexpr (sizeof(T) == 4)
    return {(P)__builtin_ia32_loaddqusi512_mask((const int*)p, (Ints)otherwise.v, m.k)};
  else if constexpr (sizeof(T) == 2)
    return {(P)__builtin_ia32_loaddquhi256_mask((const short*)p, (Words)otherwise.v, m.k)};
  else
    return {(P)__builtin_ia32_loaddquqi128_mask((const char*)p, (Bytes)otherwise.v, m.k)};
}
template <class T>
VEC_FN V<T> load_vector(const T* p, int n) {
  return load_masked<T>(p, first_n(n));
}

template <class T>
VEC_FN void store_vector(T* p, V<T> x, int n) {
  const M m = first_n(n);
  if constexpr (sizeof(T) == 8) {
    __builtin_ia32_storedqudi512_mask((long long*)p, (Longs)x.lo, u8(m.k));
    __builtin_ia32_storedqudi512_mask((long long*)(p + L / 2), (Longs)x.hi, u8(m.k >> 8));
  } else if constexpr (sizeof(T) == 4) {
    __builtin_ia32_storedqusi512_mask((int*)p, (Ints)x.v, m.k);
  } else if constexpr (sizeof(T) == 2) {
    __builtin_ia32_storedquhi256_mask((short*)p, (Words)x.v, m.k);
  } else {
    __builtin_ia32_storedquqi128_mask((char*)p, (Bytes)x.v, m.k);
  }
}

template <class T>
constexpr bool has_gather = is_float<T> || __is_same(T, i32) || __is_same(T, u32) || __is_same(T, i64) ||
                            __is_same(T, u64);

template <class T>
VEC_FN V<T> gather_vector(const T* base, V<i64> index, M active) {
  const Longs lo = (Longs)index.lo, hi = (Longs)index.hi;
  if constexpr (sizeof(T) == 8) {
    return {(Part<T>)__builtin_ia32_gatherdiv8di(Longs{}, base, lo, u8(active.k), 8),
            (Part<T>)__builtin_ia32_gatherdiv8di(Longs{}, base, hi, u8(active.k >> 8), 8)};
  } else {
    typedef int HalfInts __attribute__((vector_size(32)));
    return {join<T>((Half<T>)__builtin_ia32_gatherdiv16si(HalfInts{}, base, lo, u8(active.k), 4),
                    (Half<T>)__builtin_ia32_gatherdiv16si(HalfInts{}, base, hi, u8(active.k >> 8), 4))};
  }
}

// Four rounds of interleaving: words, pairs of words, then 128-bit blocks twice.
VEC_FN void transpose_words(i32* dst, i64 dst_stride, const i32* src, i64 src_stride) {
  Ints r[16], t[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) r[i] = load_vector<i32>(src + i * src_stride).v;
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4)
#pragma GCC unroll 2
    for (int j = 0; j < 2; j++) {
      const Ints x = t[i + j], y = t[i + j + 2];
      r[i + 2 * j] = __builtin_shufflevector(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      r[i + 2 * j + 1] = __builtin_shufflevector(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
    // r[4*q + c] holds, in its four blocks b, rows 4q .. 4q+3 of column 4b + c.
#pragma GCC unroll 4
  for (int c = 0; c < 4; c++) {
    const Ints x = __builtin_shufflevector(r[c], r[4 + c], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const Ints y =
        __builtin_shufflevector(r[8 + c], r[12 + c], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const Ints z = __builtin_shufflevector(r[c], r[4 + c], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    const Ints w =
        __builtin_shufflevector(r[8 + c], r[12 + c], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    t[c] = __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    t[8 + c] = __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    t[4 + c] = __builtin_shufflevector(z, w, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    t[12 + c] = __builtin_shufflevector(z, w, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) store_vector<i32>(dst + i * dst_stride, V<i32>{t[i]});
}

VEC_FN void fence() { __builtin_ia32_sfence(); }

}  // namespace VEC_ISA
}  // namespace vec
