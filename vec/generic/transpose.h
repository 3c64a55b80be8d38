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

// Vectors of 16 bytes, and of two blocks of 16 bytes, which every instruction set with vectors interleaves by one
// instruction.
template <class T>
struct Lanes16 {
  typedef Unsigned<T> type __attribute__((vector_size(16)));
};
template <class T>
struct Lanes32 {
  typedef Unsigned<T> type __attribute__((vector_size(32)));
};

// a[0], b[0], a[1], b[1] and so on, of the lower or of the upper halves of each block.
template <class P>
VEC_FN P interleave_low(P a, P b) {
  if constexpr (sizeof(P) == 32 && sizeof(a[0]) == 1)
    return __builtin_shufflevector(a, b, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16, 48, 17, 49, 18, 50,
                                   19, 51, 20, 52, 21, 53, 22, 54, 23, 55);
  else if constexpr (sizeof(P) == 32)
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
  else if constexpr (sizeof(a[0]) == 1)
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  else if constexpr (sizeof(a[0]) == 2)
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  else
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
template <class P>
VEC_FN P interleave_high(P a, P b) {
  if constexpr (sizeof(P) == 32 && sizeof(a[0]) == 1)
    return __builtin_shufflevector(a, b, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 24, 56, 25, 57,
                                   26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63);
  else if constexpr (sizeof(P) == 32)
    return __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31);
  else if constexpr (sizeof(a[0]) == 1)
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  else if constexpr (sizeof(a[0]) == 2)
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  else
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

// Interleaves the first half of all elements (of each block) with the second half. Element x moves to 2 x modulo the
// number of elements less one; the last one stays.
template <class P, int N>
VEC_FN void interleave_halves(P (&r)[N]) {
  P t[N];
#pragma GCC unroll 16
  for (int i = 0; i < N / 2; i++) {
    t[2 * i] = interleave_low(r[i], r[i + N / 2]);
    t[2 * i + 1] = interleave_high(r[i], r[i + N / 2]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < N; i++) r[i] = t[i];
}

// The side of a full tile.
template <class T>
constexpr int tile_side = sizeof(T) < 4 ? 16 / sizeof(T) : L;

// A full tile. Of types of one or two bytes: after as many rounds as a column's number has bits, the bits of the row
// and those of the column have changed places.
template <class T>
VEC_FN void transpose_tile(T* dst, i64 dst_stride, const T* src, i64 src_stride) {
  constexpr int side = tile_side<T>;
  if constexpr (sizeof(T) == 4 && L > 1) {
    transpose_words((Signed<T>*)dst, dst_stride, (const Signed<T>*)src, src_stride);
  } else if constexpr (sizeof(T) < 4) {
    typename Lanes16<T>::type r[side];
#pragma GCC unroll 16
    for (int i = 0; i < side; i++) memcpy(&r[i], src + i * src_stride, 16);
#pragma GCC unroll 4
    for (int n = 1; n < side; n *= 2) interleave_halves(r);
#pragma GCC unroll 16
    for (int i = 0; i < side; i++) memcpy(dst + i * dst_stride, &r[i], 16);
  } else {
    for (int j = 0; j < side; j++)
      for (int i = 0; i < side; i++) dst[j * dst_stride + i] = src[i * src_stride + j];
  }
}

// Two full tiles of types of one or two bytes, which are side by side in src.
template <class T>
VEC_FN void transpose_two_tiles(T* dst, i64 dst_stride, const T* src, i64 src_stride) {
  typedef long long Quarters __attribute__((vector_size(32)));
  constexpr int side = tile_side<T>;
  typename Lanes32<T>::type r[side];
#pragma GCC unroll 16
  for (int i = 0; i < side; i++) memcpy(&r[i], src + i * src_stride, 32);
#pragma GCC unroll 4
  for (int n = 1; n < side; n *= 2) interleave_halves(r);
#pragma GCC unroll 16
  for (int i = 0; i < side; i++) {
    const Quarters both = (Quarters)r[i];
    const auto first = __builtin_shufflevector(both, both, 0, 1), second = __builtin_shufflevector(both, both, 2, 3);
    memcpy(dst + i * dst_stride, &first, 16);
    memcpy(dst + (side + i) * dst_stride, &second, 16);
  }
}

// Returns where a tile begins that is due at `at`: the last of several begins earlier, so that it is full, too.
VEC_FN int tile_start(int at, int side, int count) { return count >= side && at > count - side ? count - side : at; }

// i < rows, j < cols, of any size: in full tiles if there are as many rows and columns as a tile has.
template <class T>
VEC_FN void transpose_tiles(T* dst, i64 dst_stride, const T* src, i64 src_stride, int rows, int cols) {
  constexpr int side = tile_side<T>;
  if constexpr (sizeof(T) < 4 && L > 1)
    if (rows >= side && cols >= 2 * side) {
      for (int i = 0; i < rows; i += side)
        for (int j = 0; j < cols; j += 2 * side) {
          const int row = tile_start(i, side, rows), column = tile_start(j, 2 * side, cols);
          transpose_two_tiles(dst + column * dst_stride + row, dst_stride, src + row * src_stride + column, src_stride);
        }
      return;
    }
  const int r = rows < side ? rows : side, c = cols < side ? cols : side;
  for (int i = 0; i < rows; i += side)
    for (int j = 0; j < cols; j += side) {
      const int row = tile_start(i, side, rows), column = tile_start(j, side, cols);
      T* const d = dst + column * dst_stride + row;
      const T* const s = src + row * src_stride + column;
      if (r == side && c == side)
        transpose_tile(d, dst_stride, s, src_stride);
      else
        transpose_tile(d, dst_stride, s, src_stride, r, c);
    }
}

// Does the same for few columns without gaps (`src_stride` is C), such as the channels of an image. Of two vectors for
// each column, element C i + j has to become element n j + i, where n is the number of rows in two vectors: n times its
// position, modulo the number of elements less one.
template <int C, class T>
VEC_FN void transpose_few_columns(T* dst, i64 dst_stride, const T* src, int rows) {
  static_assert(sizeof(T) <= 4, "wider types fill vectors with less than four elements");
  constexpr int half = 16 / int(sizeof(T)), step = 2 * half;
  int i = 0;
  for (; i + step <= rows; i += step) {
    typename Lanes16<T>::type r[2 * C];
#pragma GCC unroll 8
    for (int v = 0; v < 2 * C; v++) memcpy(&r[v], src + C * i + half * v, 16);
#pragma GCC unroll 5
    for (int n = 1; n < step; n *= 2) interleave_halves(r);
#pragma GCC unroll 8
    for (int v = 0; v < 2 * C; v++) memcpy(dst + v / 2 * dst_stride + i + v % 2 * half, &r[v], 16);
  }
  transpose_tile(dst + i, dst_stride, src + C * i, C, rows - i, C);
}

// The elements of a whole row of Side elements by vectors as wide as registers, or the first `count`.
template <int Side, class T>
VEC_FN void move_row(T* to, const T* from, int count) {
  if (count == Side)
    memcpy(to, from, Side * sizeof(T));
  else
    memcpy(to, from, u64(count) * sizeof(T));
}

// Columns `from` to `to` of that many rows.
template <class T>
VEC_FN void fill_columns(T* rows, i64 stride, int from, int to, int count, T value) {
  for (int r = 0; r < count; r++)
    for (int c = from; c < to; c++) rows[r * stride + c] = value;
}

}  // namespace VEC_ISA
}  // namespace vec
