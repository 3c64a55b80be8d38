// The register-blocked product that contraction tiles are made of: Rows x Vectors sums in registers, the outer product
// of Rows values of the left operand and one row of a packed panel added to them at each step of the depth.
//
// A panel of a multiple of kSliceColumns columns consists of slices of so many columns, one after the other, so that
// tiles of different widths and instruction sets read the same bytes. Others are one slice.
#pragma once

// For a function with tiles: values that g++ keeps in registers across their loops take registers from the sums.
#define VEC_KEEPS_REGISTERS __attribute__((optimize("no-gcse", "no-move-loop-invariants")))

namespace vec {
inline namespace VEC_ISA {

// Vectors of this ISA with a fused multiply-add. A Unit has these members.
template <class T>
struct ProductUnit {
  typedef V<T> Vector;
  static constexpr int kLanes = L;
  VEC_FN Vector load(const T* p) { return vec::load<T>(p); }
  VEC_FN Vector splat(T x) { return set1<T>(x); }
  VEC_FN Vector multiply_add(Vector a, Vector b, Vector c) { return fma(a, b, c); }
};
using FloatUnit = ProductUnit<f32>;

template <class Unit, int Rows, int Vectors>
struct Sums {
  typename Unit::Vector v[Rows][Vectors] = {};
};

constexpr int kSliceColumns = 16;
VEC_FN constexpr int slice_columns(int columns) { return columns % kSliceColumns == 0 ? kSliceColumns : columns; }

// `distance`: elements from one slice to the next.
template <class Unit, int Rows, int Vectors, class T, class Row>
VEC_FN void add_outer_product(Sums<Unit, Rows, Vectors>& sums, i64 k, const T* b, i64 distance, Row row) {
  constexpr int kSlice = slice_columns(Vectors * Unit::kLanes);
  typename Unit::Vector bv[Vectors];
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; j++) {
    const int column = j * Unit::kLanes;
    bv[j] = Unit::load(b + column / kSlice * distance + column % kSlice);
  }
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++) {
    const auto x = Unit::splat(row(r)[k]);
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) sums.v[r][j] = Unit::multiply_add(x, bv[j], sums.v[r][j]);
  }
}

// Adds sum over k < depth of row(r)[k] * slice[k * columns + j] to each of the sums, in the order of k. Not unrolled:
// g++ would run out of registers.
template <class Unit, int Rows, int Vectors, class T, class Row>
VEC_FN void add_products(Sums<Unit, Rows, Vectors>& sums, i64 depth, const T* slice, i64 distance, Row row) {
  constexpr int kColumns = Vectors * Unit::kLanes, kSlice = slice_columns(kColumns), kLine = 64 / sizeof(T);
  constexpr int kStepsAhead = 16;
  // With few rows, steps follow each other so fast that the CPU's own prefetching is faster than these instructions.
  constexpr bool kPrefetches = Rows * Vectors > 8;
#pragma GCC unroll 1
  for (i64 k = 0; k < depth; k++, slice += kSlice) {
#pragma GCC unroll 4
    for (int j = 0; kPrefetches && j < kColumns; j += kLine) {
      const T* const line = slice + j / kSlice * distance + j % kSlice;
      __builtin_prefetch(line + kStepsAhead * kSlice);
      __builtin_prefetch(line + kColumns / kSlice * distance, 0, 2);  // of the next panel, into the second-level cache
    }
    add_outer_product(sums, k, slice, distance, row);
  }
}

// Rows of the left operand at successive taps: rows_[tap * count + r], all taps of a row being skipped whose first
// pointer is null.
template <int Rows, class T = f32>
struct ScatteredRows {
  const void* const* rows;
  struct Tap {
    const T* row[Rows];
    VEC_MEMBER const T* operator()(int r) const { return row[r]; }
  };
  VEC_MEMBER bool skips(i64 tap) const { return !rows[tap * Rows]; }
  VEC_MEMBER Tap at(i64 tap) const {
    Tap result;
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) result.row[r] = static_cast<const T*>(rows[tap * Rows + r]);
    return result;
  }
};

// Rows `distance` elements apart; those of a tap begin tap_offsets[tap] elements after `first`.
struct EvenRows {
  const f32* first;
  i64 distance;
  const i64* tap_offsets;
  struct Tap {
    const f32* first;
    i64 distance;
    VEC_MEMBER const f32* operator()(int r) const { return first + r * distance; }
  };
  VEC_MEMBER bool skips(i64) const { return false; }
  VEC_MEMBER Tap at(i64 tap) const { return {first + tap_offsets[tap], distance}; }
};
VEC_FN EvenRows even_rows(const f32* first, i64 distance, const i64* tap_offsets) {
  return {first, distance, tap_offsets};
}

// Does the same for these taps, of a panel that may have more.
template <class Unit, int Rows, int Vectors, class Left, class T>
VEC_FN void add_taps(Sums<Unit, Rows, Vectors>& sums, Left left, i64 taps, i64 depth, const T* slice, i64 distance) {
#pragma GCC unroll 1
  for (i64 t = 0; t < taps; t++, slice += depth * slice_columns(Vectors * Unit::kLanes))
    if (!left.skips(t)) add_products(sums, depth, slice, distance, left.at(t));
}

}  // namespace VEC_ISA
}  // namespace vec
