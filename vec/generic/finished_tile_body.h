#pragma once
#include "finished_tile.h"
#include "kernel.h"

namespace vec {
inline namespace VEC_ISA {

constexpr bool adds_values(TileEnd end) { return end.terms == TileTerms::columns_and_values; }

template <TileEnd End, class Lanes>
VEC_FN V<f32> finish_vector(V<f32> sum, V<f32> terms, const f32* values, Lanes n, const TileResults& results) {
  V<f32> x = sum;
  if constexpr (End.terms != TileTerms::none) x = x + terms;
  if constexpr (adds_values(End)) x = x + ld(values, n);
  if constexpr (End.activation == TileActivation::relu) x = at_least_zero(x);
  if constexpr (End.activation == TileActivation::clip) x = at_most(at_least_zero(x), set1<f32>(results.most));
  if constexpr (End.activation == TileActivation::hard_swish) {
    const V<f32> gate = x * set1<f32>(results.scale) + set1<f32>(results.offset);
    x = x * at_least_zero(at_most(gate, set1<f32>(results.most)));
  }
  return x;
}

// The results of one vector of columns, from column j on.
template <TileEnd End, int Rows, class SumOf, class Lanes>
VEC_FN void finish_columns(SumOf sum_of, int j, Lanes n, const TileResults& results) {
  V<f32> terms{};
  if constexpr (End.terms != TileTerms::none) terms = ld(results.terms + j, n);
  const f32* values = adds_values(End) ? results.values + j : nullptr;
  f32* to = results.to + j;
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++) {
    st(to, finish_vector<End>(sum_of(r), terms, values, n, results), n);
    to += results.to_distance;
    if constexpr (adds_values(End)) values += results.values_distance;
  }
}

// Where slices of a panel are vectors, tiles of fewer columns multiply only the slices that these are in.
constexpr bool kSlicesAreVectors = L == kSliceColumns;

// A whole vector is stored without a mask: CPUs first read lines that are not in a cache if a mask might leave a part
// of them as it is.
template <TileEnd End, int Rows, int Vectors>
VEC_FN void finish_tile(const Sums<FloatUnit, Rows, Vectors>& sums, const TileResults& results) {
  const int columns = int(results.columns);
  const auto finish = [&](int j, auto lanes) CPPGEN_LAMBDA {
    finish_columns<End, Rows>([&](int r) CPPGEN_LAMBDA { return sums.v[r][j]; }, j * L, lanes, results);
  };
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; j++) {
    const int rest = columns - j * L;
    if ((kSlicesAreVectors && j < Vectors - 1) || rest >= L)
      finish(j, All{});
    else if (kSlicesAreVectors || rest > 0)
      finish(j, Tail{rest});
  }
}

template <int Number, int Rows>
VEC_KEEPS_REGISTERS void finished_tile(const void* left, long distance, const long* tap_offsets, long taps, long K,
                                       const float* panel, long ahead, const TileResults* results) {
  constexpr int kEnd = Number % kTileEndCount, kWidth = Number / kTileEndCount;
  constexpr int kVectors = kWidth % kFinishedVectors + 1;
  if constexpr (kSlicesAreVectors && kVectors > 1)
    if (results->columns <= (kVectors - 1) * L)
      return finished_tile<Number - kTileEndCount, Rows>(left, distance, tap_offsets, taps, K, panel, ahead, results);
  Sums<FloatUnit, Rows, kVectors> sums;
  const PanelSteps<FloatUnit, kVectors, f32> steps{panel, taps * K * slice_columns(kVectors * L)};
  BytesAhead bytes = bytes_ahead(panel, ahead);
  asm("" : "+r"(bytes.step));  // not twice in registers
  if constexpr (kWidth < kFinishedVectors)
    add_taps(sums, even_rows(static_cast<const f32*>(left), distance, tap_offsets), taps, K, steps, bytes,
             NothingAhead{});
  else
    add_taps(sums, static_cast<const void* const*>(left), taps, K, steps, bytes);
  const TileResults own = *results;  // no store changes it
  finish_tile<kTileEnds[kEnd], Rows, kVectors>(sums, own);
}

// The tiles with at most so many rows where there are 1, 2 and 3 vectors of columns.
template <int One, int Two, int Three>
struct FinishedTilesOfRows : FinishedTiles {
  template <int Number, int Rows>
  constexpr void add() {
    this->of_rows[Number][Rows] = finished_tile<Number, Rows>;
    if constexpr (Rows > 1) add<Number, Rows - 1>();
  }
  template <int Number>
  constexpr void add() {
    constexpr int kMost[] = {One, Two, Three};
    add<Number, kMost[Number / kTileEndCount % kFinishedVectors]>();
    if constexpr (Number > 0) add<Number - 1>();
  }
  constexpr FinishedTilesOfRows() { add<kFinishedTiles - 1>(); }
};

}  // namespace VEC_ISA
}  // namespace vec
