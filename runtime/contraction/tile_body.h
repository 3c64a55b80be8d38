// The float32 tile over a vector type, for translation units that define
//   Vector               the register type: kLanes floats
//   load, store, splat, multiply_add
// and TileUnit, which names these for vec/generic/product.h, in cppgen::rt::TILE_ISA before they include this file.
#pragma once

#include "runtime/contraction/long_sums.h"
#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {

template <bool Adds, int Rows, int Vectors>
TILE_FN void store_sums(const vec::Sums<TileUnit, Rows, Vectors>& sums, float* block, long ldc) {
#pragma GCC unroll 32
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      float* const to = block + r * ldc + j * kLanes;
      store(to, Adds ? load(to) + sums.v[r][j] : sums.v[r][j]);
    }
}

template <int Rows, int Vectors, bool Adds>
VEC_KEEPS_REGISTERS void tile_block(const void* const* left, long taps, long K, const void* panel, long distance,
                                    void* block, long ldc, long ahead) {
  vec::Sums<TileUnit, Rows, Vectors> sums;
  vec::add_taps(sums, left, taps, K, static_cast<const float*>(panel), distance, vec::bytes_ahead(panel, ahead));
  store_sums<Adds>(sums, static_cast<float*>(block), ldc);
}

// Calls use(k, sums) with the sums of kShortTerms products from each k on. Rows are equally far apart.
template <int Rows, int Vectors, class Use>
TILE_FN void each_short_block(const void* const* left, long K, const void* panel, long distance, long ahead, Use use) {
  constexpr int kSlice = vec::slice_columns(Vectors * kLanes);
  const float* slice = static_cast<const float*>(panel);
  const float* const first = static_cast<const float*>(left[0]);
  const long step = Rows == 1 ? 0 : static_cast<const float*>(left[1]) - first;
  vec::BytesAhead panel_ahead = vec::bytes_ahead(panel, ahead);
  vec::NothingAhead nothing;
  for (long k = 0; k < K; k += kShortTerms) {
    vec::Sums<TileUnit, Rows, Vectors> sums;
    const long terms = K - k < kShortTerms ? K - k : kShortTerms;
    const vec::SteppedRows<Rows, float> rows(first + k, step);
    vec::add_products(sums, terms, slice + k * kSlice, distance, rows, panel_ahead, nothing);
    use(k, sums);
  }
}

// Does the same for one tap in short blocks. Their sums are added up in registers if a tile has few rows, else in
// memory: two tiles of half of the rows would read the panel twice, and too few sums do not hide the latency of
// multiply-adds.
template <int Rows, int Vectors, bool Adds>
VEC_KEEPS_REGISTERS void short_block(const void* const* left, long, long K, const void* panel, long distance,
                                     void* block, long ldc, long ahead) {
  constexpr int kMostRows = ((kRegisters - 1) / Vectors - 1) / 2;
  float* c = static_cast<float*>(block);
  if constexpr (Rows > kMostRows) {
    alignas(sizeof(Vector)) float totals[Rows * Vectors * kLanes];
    float* in_memory = totals;
    asm("" : "+r"(in_memory) : : "memory");  // g++ would keep them in registers, and sums in memory
    const auto add = [=](long k, const auto& sums) __attribute__((always_inline)) {
      if (k == 0)
        store_sums<false>(sums, in_memory, Vectors * kLanes);
      else
        store_sums<true>(sums, in_memory, Vectors * kLanes);
    };
    each_short_block<Rows, Vectors>(left, K, panel, distance, ahead, add);
    vec::Sums<TileUnit, 1, Vectors> row;
    for (int r = 0; r < Rows; r++) {
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) row.v[0][j] = load(in_memory + (r * Vectors + j) * kLanes);
      store_sums<Adds>(row, c + r * ldc, ldc);
    }
  } else {
    vec::Sums<TileUnit, Rows, Vectors> totals;
    each_short_block<Rows, Vectors>(
        left, K, panel, distance, ahead, [&](long, const auto& sums) __attribute__((always_inline)) {
#pragma GCC unroll 32
          for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
            for (int j = 0; j < Vectors; j++) totals.v[r][j] = totals.v[r][j] + sums.v[r][j];
        });
    store_sums<Adds>(totals, c, ldc);
  }
}

template <int Rows, int Vectors>
constexpr BlockTile block_tile(BlockFunction first, BlockFunction next) {
  static_assert(kLineBytes == vec::kAheadLine && kAheadStep == vec::kAheadStep);
  static_assert(kSliceColumns == vec::kSliceColumns && Vectors * kLanes <= kMostTileColumns);
  constexpr int kFloat = sizeof(float);
  return {first, next, Rows, Vectors * kLanes, kFloat, vec::slice_columns(Vectors * kLanes) * kFloat, 1};
}

template <int Rows, int Vectors>
void tile(const void* const* left, long taps, long K, const void* panel, void* block, long ldc, long ahead) {
  const long distance = taps * K * vec::slice_columns(Vectors * kLanes);
  if (taps * K <= kWholeTerms)
    return tile_block<Rows, Vectors, false>(left, taps, K, panel, distance, block, ldc, ahead);
  sum_blocks(block_tile<Rows, Vectors>(tile_block<Rows, Vectors, false>, tile_block<Rows, Vectors, true>), left, taps,
             K, panel, distance, static_cast<float*>(block), ldc, ahead);
}

template <int Rows, int Vectors>
void tile_in_blocks(const void* const* left, long terms, long K, const void* panel, void* block, long ldc, long ahead) {
  const bool is_short = terms <= kShortTerms;
  const BlockTile tile =
      is_short ? block_tile<Rows, Vectors>(short_block<Rows, Vectors, false>, short_block<Rows, Vectors, true>)
               : block_tile<Rows, Vectors>(tile_block<Rows, Vectors, false>, tile_block<Rows, Vectors, true>);
  sum_short_blocks(tile, is_short ? kShortTerms * kShortBlocks : terms, left, K, panel,
                   K * vec::slice_columns(Vectors * kLanes), static_cast<float*>(block), ldc, ahead);
}

template <int MaxRows, int Vectors>
constexpr RowTable<TileFunction, MaxRows, 2> tile_table([](auto rows) {
  return RowFunctions<TileFunction, 2>{tile<rows, Vectors>, tile_in_blocks<rows, Vectors>};
});

template <int MaxRows, int Vectors>
constexpr TileSet tile_set(PrepareFunction prepare = nullptr) {
  return {MaxRows, Vectors * kLanes, tile_table<MaxRows, Vectors>.functions, prepare};
}

}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/strided_body.h"
