// dst[j * dst_stride + i] = src[i * src_stride + j]: strides in elements, the two may not overlap.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// i < rows, j < cols: the tile in src.
template <class T>
VEC_FN void transpose_tile(T* dst, i64 dst_stride, const T* src, i64 src_stride, int rows, int cols) {
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) dst[j * dst_stride + i] = src[i * src_stride + j];
}

// A full tile of L x L.
template <class T>
VEC_FN void transpose_tile(T* dst, i64 dst_stride, const T* src, i64 src_stride) {
  if constexpr (sizeof(T) == 4 && L > 1)
    transpose_words((Signed<T>*)dst, dst_stride, (const Signed<T>*)src, src_stride);
  else
    transpose_tile(dst, dst_stride, src, src_stride, L, L);
}

}  // namespace VEC_ISA
}  // namespace vec
