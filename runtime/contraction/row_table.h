// Tables of functions by numbers of rows, for translation units that define TILE_ISA.
#pragma once

namespace cppgen::rt::TILE_ISA {

// A number of rows that is a constant.
template <int N>
struct RowCount {
  constexpr operator int() const { return N; }
};

// The functions for one number of rows, one for each part of a table.
template <class Function, int Parts>
struct RowFunctions {
  Function functions[Parts];
};

// Entry part * MaxRows + rows is the function of this part for so many rows, 1 <= rows <= MaxRows; entry 0 is null.
template <class Function, int MaxRows, int Parts>
struct RowTable {
  Function functions[Parts * MaxRows + 1] = {};

  // of(RowCount<N>()) gives the RowFunctions for N rows.
  template <class Of>
  constexpr explicit RowTable(Of of) {
    fill<1>(of);
  }

 private:
  template <int N, class Of>
  constexpr void fill(Of of) {
    const RowFunctions<Function, Parts> row = of(RowCount<N>());
    for (int part = 0; part < Parts; part++) functions[part * MaxRows + N] = row.functions[part];
    if constexpr (N < MaxRows) fill<N + 1>(of);
  }
};

}  // namespace cppgen::rt::TILE_ISA
