// The register-blocked product that contraction tiles are made of: Rows x Vectors sums in registers, the outer product
// of Rows values of the left operand and one row of a packed panel added to them at each step of the depth.
#pragma once

// For a function with tiles: values that g++ keeps in registers across their loops take registers from the sums.
#define VEC_KEEPS_REGISTERS __attribute__((optimize("no-gcse", "no-move-loop-invariants")))

namespace vec {
inline namespace VEC_ISA {

// float32 vectors of this ISA with a fused multiply-add. A Unit has these members.
struct FloatUnit {
  typedef V<f32> Vector;
  static constexpr int kLanes = L;
  VEC_FN Vector load(const f32* p) { return vec::load<f32>(p); }
  VEC_FN Vector splat(f32 x) { return set1<f32>(x); }
  VEC_FN Vector multiply_add(Vector a, Vector b, Vector c) { return fma(a, b, c); }
};

template <class Unit, int Rows, int Vectors>
struct Sums {
  typename Unit::Vector v[Rows][Vectors] = {};
};

template <class Unit, int Rows, int Vectors, class Row>
VEC_FN void add_outer_product(Sums<Unit, Rows, Vectors>& sums, i64 k, const f32* b, Row row) {
  typename Unit::Vector bv[Vectors];
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; j++) bv[j] = Unit::load(b + j * Unit::kLanes);
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++) {
    const auto x = Unit::splat(row(r)[k]);
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) sums.v[r][j] = Unit::multiply_add(x, bv[j], sums.v[r][j]);
  }
}

// Adds sum over k < depth of row(r)[k] * panel[k * columns + j] to each of the sums, in the order of k. Not unrolled:
// g++ would run out of registers.
template <class Unit, int Rows, int Vectors, class Row>
VEC_FN void add_products(Sums<Unit, Rows, Vectors>& sums, i64 depth, const f32* panel, Row row) {
  constexpr int kColumns = Vectors * Unit::kLanes, kStepsAhead = 16, kLine = 64 / sizeof(f32);
#pragma GCC unroll 1
  for (i64 k = 0; k < depth; k++, panel += kColumns) {
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; j += kLine) __builtin_prefetch(panel + kStepsAhead * kColumns + j);
    add_outer_product(sums, k, panel, row);
  }
}

// Rows of the left operand at successive taps: rows_[tap * count + r], all taps of a row being skipped whose first
// pointer is null.
template <int Rows>
struct ScatteredRows {
  const void* const* rows;
  struct Tap {
    const f32* row[Rows];
    VEC_MEMBER const f32* operator()(int r) const { return row[r]; }
  };
  VEC_MEMBER bool skips(i64 tap) const { return !rows[tap * Rows]; }
  VEC_MEMBER Tap at(i64 tap) const {
    Tap result;
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) result.row[r] = static_cast<const f32*>(rows[tap * Rows + r]);
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

// The same for all taps.
template <class Unit, int Rows, int Vectors, class Left>
VEC_FN void add_taps(Sums<Unit, Rows, Vectors>& sums, Left left, i64 taps, i64 depth, const f32* panel) {
#pragma GCC unroll 1
  for (i64 t = 0; t < taps; t++, panel += depth * (Vectors * Unit::kLanes))
    if (!left.skips(t)) add_products(sums, depth, panel, left.at(t));
}

}  // namespace VEC_ISA
}  // namespace vec
