// Products of one row with a matrix that is not packed: for attention of few queries. The order in which a result is
// summed depends only on L, on its position in the row and on the length of the sum. Included after kernel.h.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// dst[i] = src[i * stride], i < count, as float.
template <class T>
VEC_FN void copy_row(f32* dst, const T* src, i64 stride, i64 count) {
  for (i64 at = 0; at < count; at += L) {
    const int n = count - at < L ? int(count - at) : L;
    store(dst + at, stride == 1 ? load(src + at, n) : load_strided(src + at * stride, stride, n), n);
  }
}

// dst[i * dst_stride + j] = src[i * src_stride + j], i < rows, j < cols, as float.
template <class T>
VEC_FN void copy_rows(f32* dst, i64 dst_stride, const T* src, i64 src_stride, i64 rows, i64 cols) {
  for (i64 i = 0; i < rows; i++) copy_row(dst + i * dst_stride, src + i * src_stride, 1, cols);
}

// Lane j is the sum of lanes j * L ... j * L + L - 1.
VEC_FN V<f32> sums_of_rows(const f32* lanes) {
  if constexpr (L == 1) {
    return load(lanes);
  } else {
    alignas(64) f32 transposed[L * L];
    transpose_tile(transposed, L, lanes, L);
    V<f32> sum = load((const f32*)transposed);
    for (int i = 1; i < L; i++) sum = sum + load((const f32*)transposed + i * L);
    return sum;
  }
}

// out[j] = sum over k < K of a[k] * b[j * stride + k], j < L; out has room for L.
template <class T>
VEC_FN void dot_rows(f32* out, const f32* a, const T* const (&b)[L], i64 K) {
  V<f32> sums[L];
#pragma GCC unroll 16
  for (int j = 0; j < L; j++) sums[j] = zero<f32>();
  i64 k = 0;
  for (; k + L <= K; k += L) {
    const V<f32> x = load(a + k);
#pragma GCC unroll 16
    for (int j = 0; j < L; j++) sums[j] = mul_add(x, load(b[j] + k), sums[j]);
  }
  if (k < K) {
    const int n = int(K - k);
    const V<f32> x = load(a + k, n);
#pragma GCC unroll 16
    for (int j = 0; j < L; j++) sums[j] = mul_add(x, load(b[j] + k, n), sums[j]);
  }
  alignas(64) f32 lanes[L * L];
#pragma GCC unroll 16
  for (int j = 0; j < L; j++) store(lanes + j * L, sums[j]);
  store(out, sums_of_rows(lanes));
}

// out[j] = sum over k < K of a[k] * b[j * stride + k], j < count; out has room for count rounded up to L.
template <class T>
VEC_FN void dot_rows(f32* out, const f32* a, const T* b, i64 stride, i64 count, i64 K) {
  for (i64 first = 0; first < count; first += L) {
    const T* rows[L];
#pragma GCC unroll 16
    for (int j = 0; j < L; j++) rows[j] = b + (first + j < count ? first + j : count - 1) * stride;
    dot_rows(out + first, a, rows, K);
  }
}

// W vectors of the sums of sum_rows(), of which the last one has n lanes. Successive steps go to several sums.
template <int W, class N, class T>
VEC_FN void sum_rows(f32* out, const f32* a, const T* b, i64 stride, i64 K, N n) {
  constexpr int P = 8 / W;
  V<f32> sums[P][W];
#pragma GCC unroll 8
  for (int p = 0; p < P; p++)
#pragma GCC unroll 8
    for (int w = 0; w < W; w++) sums[p][w] = zero<f32>();
  const auto step = [&](int p, i64 k) __attribute__((always_inline)) {
    const V<f32> x = set1<f32>(a[k]);
#pragma GCC unroll 8
    for (int w = 0; w < W; w++) {
      const T* const row = b + k * stride + w * L;
      sums[p][w] = mul_add(x, w + 1 < W ? load(row) : ld(row, n), sums[p][w]);
    }
  };
  i64 k = 0;
  for (; k + P <= K; k += P)
#pragma GCC unroll 8
    for (int p = 0; p < P; p++) step(p, k + p);
  for (; k < K; k++) step(0, k);
#pragma GCC unroll 8
  for (int w = 0; w < W; w++) {
    V<f32> sum = sums[0][w];
#pragma GCC unroll 8
    for (int p = 1; p < P; p++) sum = sum + sums[p][w];
    if (w + 1 < W)
      store(out + w * L, sum);
    else
      st(out + w * L, sum, n);
  }
}

// out[j] = sum over k < K of a[k] * b[k * stride + j], j < count.
template <class T>
VEC_FN void sum_rows(f32* out, const f32* a, const T* b, i64 stride, i64 count, i64 K) {
  i64 at = 0;
  for (; at + 4 * L <= count; at += 4 * L) sum_rows<4>(out + at, a, b + at, stride, K, All{});
  for (; at + L <= count; at += L) sum_rows<1>(out + at, a, b + at, stride, K, All{});
  if (at < count) sum_rows<1>(out + at, a, b + at, stride, K, Tail{int(count - at)});
}

// sums[i] = sums[i] * scale + part[i], i < count.
VEC_FN void add_scaled(f32* sums, V<f32> scale, const f32* part, i64 count) {
  for (i64 at = 0; at < count; at += L) {
    const int n = count - at < L ? int(count - at) : L;
    store(sums + at, load(sums + at, n) * scale + load(part + at, n), n);
  }
}

}  // namespace VEC_ISA
}  // namespace vec
