// Contraction tiles inside a kernel: its epilogue takes the sums from registers.
#pragma once

// Values that g++ would keep in registers around a tile's loops cost it the registers of its sums.
#define CPPGEN_TILE_KERNEL CPPGEN_KERNEL __attribute__((optimize("no-gcse", "no-move-loop-invariants")))

namespace vec {
inline namespace VEC_ISA {

// epilogue(r)(column, lanes, sum) for each vector of a tile whose first column is column0 and of which `columns` exist.
template <int Rows, int Vectors, class Left, class Epilogue>
VEC_FN void tile(Left left, i64 taps, i64 depth, const f32* panel, i64 column0, i64 columns, Epilogue epilogue) {
  asm("" : "+r"(taps), "+r"(depth));  // known numbers would make g++ unroll and reorder what is blocked already
  const auto sums = tile_sums<1, FloatUnit, Rows, Vectors>(left, taps, depth, panel);
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; j++) {
    const i64 left_over = columns - j * L;
    if (left_over >= L) {
#pragma GCC unroll 32
      for (int r = 0; r < Rows; r++) epilogue(r)(column0 + j * L, All{}, sums.v[r][j]);
    } else if (left_over > 0) {
#pragma GCC unroll 32
      for (int r = 0; r < Rows; r++) epilogue(r)(column0 + j * L, Tail{int(left_over)}, sums.v[r][j]);
    }
  }
}

// The same of a tile in memory, its rows `ld` elements apart.
template <class T, class Epilogue>
VEC_FN void finish_block(const T* block, i64 ld, i64 rows, i64 column0, i64 columns, Epilogue epilogue) {
  for (i64 r = 0; r < rows; r++, block += ld) {
    const auto finish = epilogue(r);
    i64 j = 0;
    for (; j + L <= columns; j += L) finish(column0 + j, All{}, load(block + j));
    if (j < columns) finish(column0 + j, Tail{int(columns - j)}, load(block + j));
  }
}

}  // namespace VEC_ISA
}  // namespace vec
