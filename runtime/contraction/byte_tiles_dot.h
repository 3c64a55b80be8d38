// Tiles over bytes with an instruction that adds four products of an unsigned and a signed byte to each 32-bit lane,
// for translation units that include byte_tiles.h before and define
//   dot(sums, unsigned bytes, signed bytes)
// there. Nothing saturates. A signed left operand is read as unsigned with an offset of 128, and 128 times the columns'
// sums are subtracted at the end.
#pragma once

#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {
namespace {

constexpr int kPrefetchBytes = 2048;
constexpr int kOffset = int(0x80808080u);  // 128 in each byte

template <int Rows, int Vectors, bool SignedLeft>
struct ByteSums {
  static constexpr int kPanelStep = Vectors * kLanes * int(kGroup);  // bytes
  Ints v[Rows][Vectors];
  Ints offset[Vectors];  // 128 x the columns' sums

  BYTES_FN void add(const int (&left)[Rows], const u8* panel) {
    Ints right[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) right[j] = (Ints) * (const UnalignedInts*)(panel + j * 4 * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) {
      Ints x = Ints{} + left[r];
      if constexpr (SignedLeft) x ^= kOffset;
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) v[r][j] = dot(v[r][j], x, right[j]);
    }
    if constexpr (SignedLeft) {
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) offset[j] = dot(offset[j], Ints{} + kOffset, right[j]);
    }
  }
};

template <int Rows>
BYTES_FN void load_groups(int (&left)[Rows], const u8* const (&row)[Rows], long at) {
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++) left[r] = load_group(row[r] + at);
}

// Tiles of few rows follow their panel so fast that the CPU's own prefetching is faster than these instructions.
template <int Vectors>
constexpr bool kPrefetches = Vectors <= 2;

// Wide tiles also bring lines from `ahead` on, unless it is null, into the second-level cache, and advance it.
template <int Rows, int Vectors, bool SignedLeft>
BYTES_FN void byte_rows(ByteSums<Rows, Vectors, SignedLeft>& sums, const u8* const (&row)[Rows], long K,
                        const u8*& panel, const u8*& ahead) {
  constexpr int kPanelStep = ByteSums<Rows, Vectors, SignedLeft>::kPanelStep;
  constexpr int kSteps = Vectors > 2 ? 4 : 2;  // those of narrow tiles are long
  int left[Rows];
  long k = 0;
#pragma GCC unroll 1
  for (; k + kSteps * kGroup <= K; k += kSteps * kGroup, panel += kSteps * kPanelStep) {
    if (Vectors > 2 && ahead) {
      constexpr int bytes = kSteps * kPanelStep / kTilesAhead;
#pragma GCC unroll 4
      for (int line = 0; line < bytes; line += 64) __builtin_prefetch(ahead + line, 0, 2);
      ahead += bytes;
    }
#pragma GCC unroll 4
    for (int u = 0; u < kSteps; u++) {
#pragma GCC unroll 4
      for (int line = 0; kPrefetches<Vectors> && line < kPanelStep; line += 64)
        __builtin_prefetch(panel + u * kPanelStep + kPrefetchBytes + line);
      load_groups<Rows>(left, row, k + u * kGroup);
      sums.add(left, panel + u * kPanelStep);
    }
  }
#pragma GCC unroll 1
  for (; k + kGroup <= K; k += kGroup, panel += kPanelStep) {
    load_groups<Rows>(left, row, k);
    sums.add(left, panel);
  }
  if (k == K) return;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++) left[r] = load_rest(row[r] + k, K - k);
  sums.add(left, panel);
  panel += kPanelStep;
}

template <int Rows, int Vectors, bool SignedLeft>
void byte_tile(const void* const* left, long taps, long K, const void* packed, void* block, long ldc, long distance) {
  ByteSums<Rows, Vectors, SignedLeft> sums = {};
  const u8* panel = (const u8*)packed;
  const u8* ahead = distance != 0 ? panel + distance : nullptr;
  for (long t = 0; t < taps; t++, left += Rows) {
    const u8* row[Rows];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) row[r] = (const u8*)left[r];
    byte_rows<Rows, Vectors, SignedLeft>(sums, row, K, panel, ahead);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++)
      store((int*)block + r * ldc + j * kLanes, SignedLeft ? sums.v[r][j] - sums.offset[j] : sums.v[r][j]);
}

template <int MaxRows, int Vectors, bool SignedLeft>
constexpr RowTable<TileFunction, MaxRows, 1> byte_table([](auto rows) {
  return RowFunctions<TileFunction, 1>{byte_tile<rows, Vectors, SignedLeft>};
});

template <int MaxRows, int Vectors, bool SignedLeft>
constexpr TileSet byte_set() {
  return {MaxRows, Vectors * kLanes, byte_table<MaxRows, Vectors, SignedLeft>.functions};
}

}  // namespace
}  // namespace cppgen::rt::TILE_ISA
