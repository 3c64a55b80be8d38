// The register-blocked product that contraction tiles are made of: Rows x Vectors sums in registers, the outer product
// of Rows values of the left operand and one row of a packed panel added to them at each step of K.
//
// A panel of a multiple of kSliceColumns columns consists of slices of so many columns, one after the other, so that
// tiles of different widths and instruction sets read the same bytes. Others are one slice.
#pragma once

// Is for a function with tiles: values that g++ keeps in registers across their loops take registers from the sums.
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

// The steps of K of a packed panel, whose slices are `distance` elements apart.
template <class Unit, int Vectors, class T>
struct PanelSteps {
  typedef T Element;
  static constexpr int kSlice = slice_columns(Vectors * Unit::kLanes), kStepsAhead = 16;
  const T* slice;
  i64 distance;

  VEC_MEMBER const T* at(int column) const { return slice + column / kSlice * distance + column % kSlice; }
  VEC_MEMBER typename Unit::Vector load(int j) const { return Unit::load(at(j * Unit::kLanes)); }
  VEC_MEMBER const T* ahead(int column) const { return at(column) + kStepsAhead * kSlice; }
  VEC_MEMBER void advance(i64 steps) { slice += steps * kSlice; }
};

// The steps of K of a matrix in place, whose rows are `distance` elements apart. Rows that share a set of the
// first-level cache leave room for few steps.
template <class Unit, int Vectors, class T>
struct MatrixSteps {
  typedef T Element;
  static constexpr int kStepsAhead = 8;
  const T* row;
  i64 distance;

  VEC_MEMBER typename Unit::Vector load(int j) const { return Unit::load(row + j * Unit::kLanes); }
  VEC_MEMBER const T* ahead(int column) const { return row + kStepsAhead * distance + column; }
  VEC_MEMBER void advance(i64 steps) { row += steps * distance; }
};

template <class Unit, int Rows, int Vectors, class Right, class Row>
VEC_FN void add_outer_product(Sums<Unit, Rows, Vectors>& sums, i64 k, const Right& right, Row row) {
  typename Unit::Vector bv[Vectors];
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; j++) bv[j] = right.load(j);
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++) {
    const auto x = Unit::splat(row(r)[k]);
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) sums.v[r][j] = Unit::multiply_add(x, bv[j], sums.v[r][j]);
  }
}

// The steps of a product prefetch bytes into the second-level cache while it multiplies: each one `step` of them, in
// memory order from `next` on, or nothing. Lines that are fetched evenly arrive in the shadow of the products; a burst
// of them would take the buffers that the product's own loads need.
struct NothingAhead {
  VEC_MEMBER void advance() {}
};
struct BytesAhead {
  const char* next;
  i64 step;
  VEC_MEMBER void advance() {
    if (step == 0) return;
    __builtin_prefetch(next, 0, 2);
    next += step;
  }
};

// `ahead` states both: the distance from the panel to the first byte, rounded down to a multiple of kAheadLine, plus
// the bytes of a step, as a multiple of kAheadStep.
constexpr i64 kAheadLine = 64, kAheadStep = 4;
VEC_FN BytesAhead bytes_ahead(const void* panel, i64 ahead) {
  return {(const char*)panel + (ahead & -kAheadLine), (ahead & (kAheadLine - 1)) * kAheadStep};
}

// Adds sum over k < K of row(r)[k] * right[k][j] to each of the sums, in the order of k. Rows that can advance do so
// instead of being indexed, so that the next products follow. The loop is not unrolled: g++ would run out of registers.
template <class Unit, int Rows, int Vectors, class Right, class Row, class PanelAhead, class RowsAhead>
VEC_FN void add_products(Sums<Unit, Rows, Vectors>& sums, i64 K, Right right, Row&& row, PanelAhead& panel_ahead,
                         RowsAhead& rows_ahead) {
  constexpr int kColumns = Vectors * Unit::kLanes, kLine = 64 / sizeof(typename Right::Element);
  // With few rows, steps follow each other so fast that the CPU's own prefetching is faster than these instructions.
  constexpr bool kPrefetches = Rows * Vectors > 8;
#pragma GCC unroll 1
  for (i64 k = 0; k < K; k++, right.advance(1)) {
#pragma GCC unroll 4
    for (int j = 0; kPrefetches && j < kColumns; j += kLine) __builtin_prefetch(right.ahead(j));
    if constexpr (kPrefetches) panel_ahead.advance();
    rows_ahead.advance();
    if constexpr (requires { row.advance(1); }) {
      add_outer_product(sums, 0, right, row);
      row.advance(1);
    } else {
      add_outer_product(sums, k, right, row);
    }
  }
}

// Rows `distance` elements apart, whose pointers advance with K. A pointer to every seventh row and three
// multiples of the distance address all of them, so that these stay in registers: of a pointer to each row, which g++
// would make, some would be loaded in every step.
template <int Rows, class T>
struct SteppedRows {
  static constexpr int kGroup = 7, kGroups = (Rows + kGroup - 1) / kGroup;
  const T* group[kGroups];
  i64 distance, three, five;

  VEC_MEMBER SteppedRows(const T* first, i64 distance) : distance(distance), three(3 * distance), five(5 * distance) {
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; g++) group[g] = first + g * kGroup * distance;
    if (!__builtin_constant_p(distance)) asm("" : "+r"(this->distance), "+r"(three), "+r"(five));
  }
  VEC_MEMBER const T* operator()(int r) const {
    if (__builtin_constant_p(distance)) return group[0] + r * distance;
    const T* const row = group[r / kGroup];
    switch (r % kGroup) {
      case 0:
        return row;
      case 1:
        return row + distance;
      case 2:
        return row + 2 * distance;
      case 3:
        return row + three;
      case 4:
        return row + 4 * distance;
      case 5:
        return row + five;
      default:
        return row + 2 * three;
    }
  }
  VEC_MEMBER void advance(i64 steps) {
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; g++) {
      group[g] += steps;
      if (!__builtin_constant_p(distance)) asm("" : "+r"(group[g]));  // hides what the groups have in common
    }
  }
};

// Rows `distance` elements apart; those of a tap begin tap_offsets[tap] elements after `first`.
struct EvenRows {
  const f32* first;
  i64 distance;
  const i64* tap_offsets;
};
VEC_FN EvenRows even_rows(const f32* first, i64 distance, const i64* tap_offsets) {
  return {first, distance, tap_offsets};
}

// Adds the products of these taps, of a panel that may have more.
template <class Unit, int Rows, int Vectors, class Right, class PanelAhead, class RowsAhead>
VEC_FN void add_taps(Sums<Unit, Rows, Vectors>& sums, EvenRows left, i64 taps, i64 K, Right right,
                     PanelAhead panel_ahead, RowsAhead rows_ahead) {
#pragma GCC unroll 1
  for (i64 t = 0; t < taps; t++, right.advance(K)) {
    SteppedRows<Rows, f32> rows(left.first + left.tap_offsets[t], left.distance);
    add_products(sums, K, right, rows, panel_ahead, rows_ahead);
  }
}

constexpr int kPointersInRegisters = 8;

// Rows at a tap that have a pointer each.
template <int Rows, class T>
struct RowPointers {
  const T* row[Rows];

  VEC_MEMBER explicit RowPointers(const void* const* rows) {
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) row[r] = static_cast<const T*>(rows[r]);
  }
  VEC_MEMBER const T* operator()(int r) const { return row[r]; }
  // Whether rows are equally far apart: their differences are multiples of that of the first two.
  VEC_MEMBER bool are_even() const {
    const u64 first = u64(row[0]), distance = u64(row[1]) - first;
    u64 differences = 0;
#pragma GCC unroll 32
    for (int r = 2; r < Rows; r++) differences |= u64(row[r]) - first - u64(r) * distance;
    return differences == 0;
  }
};

// Does the same for the rows left[tap * Rows + r], all taps of a row being skipped whose first pointer is null. Many
// pointers have no room in registers, but rows are often equally far apart.
template <class Unit, int Rows, int Vectors, class Right, class PanelAhead = NothingAhead>
VEC_FN void add_taps(Sums<Unit, Rows, Vectors>& sums, const void* const* left, i64 taps, i64 K, Right right,
                     PanelAhead panel_ahead = {}, NothingAhead rows_ahead = {}) {
  typedef typename Right::Element T;
#pragma GCC unroll 1
  for (i64 t = 0; t < taps; t++, right.advance(K)) {
    if (!left[t * Rows]) continue;
    const RowPointers<Rows, T> rows(left + t * Rows);
    if constexpr (Rows > kPointersInRegisters) {
      if (rows.are_even()) {
        add_products(sums, K, right, SteppedRows<Rows, T>(rows(0), rows(1) - rows(0)), panel_ahead, rows_ahead);
        continue;
      }
    }
    add_products(sums, K, right, rows, panel_ahead, rows_ahead);
  }
}

}  // namespace VEC_ISA
}  // namespace vec
