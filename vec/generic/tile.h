// Contraction tiles inside a kernel: its epilogue takes the sums from registers.
#pragma once

#define CPPGEN_TILE_KERNEL CPPGEN_KERNEL VEC_KEEPS_REGISTERS

namespace vec {
inline namespace VEC_ISA {

// The panel of a right operand in place: its first row, and the distance between rows in elements.
struct MatrixPanel {
  const f32* first;
  i64 distance;
};

template <int Vectors>
VEC_FN PanelSteps<FloatUnit, Vectors, f32> steps_of(const f32* panel, i64 products) {
  return {panel, products * slice_columns(Vectors * L)};
}
template <int Vectors>
VEC_FN MatrixSteps<FloatUnit, Vectors, f32> steps_of(MatrixPanel panel, i64) {
  return {panel.first, panel.distance};
}
VEC_FN BytesAhead ahead_of(const f32* panel, i64 ahead) { return bytes_ahead(panel, ahead); }
VEC_FN NothingAhead ahead_of(MatrixPanel, i64) { return {}; }

// epilogue(r)(column, lanes, sum) for each vector of a tile of so many columns, the first one being column0.
template <int Rows, int Vectors, int Columns, class Left, class Panel, class Epilogue, class RowsAhead = NothingAhead>
VEC_FN void tile(Left left, i64 taps, i64 K, Panel panel, i64 column0, Epilogue epilogue, i64 ahead,
                 RowsAhead rows_ahead = {}) {
  asm("" : "+r"(taps), "+r"(K));  // hides the numbers from g++, which would unroll and reorder blocked loops
  Sums<FloatUnit, Rows, Vectors> sums;
  add_taps(sums, left, taps, K, steps_of<Vectors>(panel, taps * K), ahead_of(panel, ahead), rows_ahead);
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; j++) {
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) {
      if (j * L + L <= Columns)
        epilogue(r)(column0 + j * L, All{}, sums.v[r][j]);
      else if (j * L < Columns)
        epilogue(r)(column0 + j * L, Tail{Columns - j * L}, sums.v[r][j]);
    }
  }
}

VEC_FN void move_pointers(const void** to, const void* const* from, i64 count, i64 bytes) {
  for (i64 i = 0; i < count; i++) to[i] = (const char*)from[i] + bytes;
}

// pointers[tap * rows + r]: row r at each tap.
VEC_FN void row_pointers(EvenRows left, i64 rows, i64 taps, const void** pointers) {
  for (i64 t = 0; t < taps; t++)
    for (i64 r = 0; r < rows; r++) *pointers++ = left.first + left.tap_offsets[t] + r * left.distance;
}

// Calls the epilogue as tile() does, for sums in memory whose rows are `ld` elements apart.
template <class T, class Epilogue>
VEC_FN void finish_block(const T* block, i64 ld, i64 rows, i64 column0, i64 columns, Epilogue epilogue) {
  for (i64 r = 0; r < rows; r++, block += ld) {
    const auto finish = epilogue(r);
    i64 j = 0;
    for (; j + L <= columns; j += L) finish(column0 + j, All{}, load(block + j));
    if (j < columns) finish(column0 + j, Tail{int(columns - j)}, load(block + j));
  }
}

// Does the same with epilogue(column, lanes)(r, sum), one vector of columns after the other.
template <class T, class Epilogue>
VEC_FN void finish_columns(const T* block, i64 ld, i64 rows, i64 column0, i64 columns, Epilogue epilogue) {
  const auto finish = [&](i64 j, auto n) __attribute__((always_inline)) {
    const auto at_row = epilogue(column0 + j, n);
    for (i64 r = 0; r < rows; r++) at_row(r, load(block + r * ld + j));
  };
  i64 j = 0;
  for (; j + L <= columns; j += L) finish(j, All{});
  if (j < columns) finish(j, Tail{int(columns - j)});
}

// Finishes a block column by column: `transposed` holds as many rows of `side` elements as a panel has columns. The
// block has `side` rows, those beyond `rows` being undefined, so that vectors alone are transposed.
template <class T, class Epilogue>
VEC_FN void finish_transposed(const T* block, i64 ld, T* transposed, i64 side, i64 rows, i64 column0, i64 columns,
                              Epilogue epilogue) {
  if constexpr (sizeof(T) == 4)
    transpose_tiles(transposed, side, block, ld, int((rows + L - 1) / L * L), int((columns + L - 1) / L * L));
  else
    transpose_tiles(transposed, side, block, ld, int(rows), int(columns));
  for (i64 j = 0; j < columns; j++, transposed += side) {
    const auto finish = epilogue(column0 + j);
    i64 r = 0;
    for (; r + L <= rows; r += L) finish(r, All{}, load(transposed + r));
    if (r < rows) finish(r, Tail{int(rows - r)}, load(transposed + r));
  }
}

}  // namespace VEC_ISA
}  // namespace vec
