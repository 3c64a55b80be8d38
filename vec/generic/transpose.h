// dst[j * dst_stride + i] = src[i * src_stride + j]: strides in elements, the two may not overlap.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// i < rows, j < cols: the part of a tile in src. The empty asm keeps g++ from vectorising this for any stride, which
// takes as long as compiling a whole kernel.
template <class T>
VEC_FN void transpose_tile(T* dst, i64 dst_stride, const T* src, i64 src_stride, int rows, int cols) {
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) {
      asm("");
      dst[j * dst_stride + i] = src[i * src_stride + j];
    }
}

// A full tile of L x L.
template <class T>
VEC_FN void transpose_tile(T* dst, i64 dst_stride, const T* src, i64 src_stride) {
  if constexpr (sizeof(T) == 4 && L > 1) {
    transpose_words((Signed<T>*)dst, dst_stride, (const Signed<T>*)src, src_stride);
  } else {
    for (int j = 0; j < L; j++)
      for (int i = 0; i < L; i++) dst[j * dst_stride + i] = src[i * src_stride + j];
  }
}

// i < rows, j < cols, of any size: in full tiles as far as they go.
template <class T>
VEC_FN void transpose_tiles(T* dst, i64 dst_stride, const T* src, i64 src_stride, int rows, int cols) {
  for (int i = 0; i < rows; i += L)
    for (int j = 0; j < cols; j += L) {
      T* const d = dst + j * dst_stride + i;
      const T* const s = src + i * src_stride + j;
      const int r = rows - i < L ? rows - i : L, c = cols - j < L ? cols - j : L;
      if (r == L && c == L)
        transpose_tile(d, dst_stride, s, src_stride);
      else
        transpose_tile(d, dst_stride, s, src_stride, r, c);
    }
}

// Columns `from` to `to` of that many rows.
template <class T>
VEC_FN void fill_columns(T* rows, i64 stride, int from, int to, int count, T value) {
  for (int r = 0; r < count; r++)
    for (int c = from; c < to; c++) rows[r * stride + c] = value;
}

}  // namespace VEC_ISA
}  // namespace vec
