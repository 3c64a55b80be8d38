// Tiles over bytes with an instruction that adds four products of an unsigned and a signed byte to each 32-bit lane,
// for translation units that include byte_tiles.h before and define
//   dot(sums, unsigned bytes, signed bytes)
// there. Nothing saturates. A signed left operand is read as unsigned with an offset of 128, and 128 times the columns'
// sums are subtracted at the end.
#pragma once

namespace cppgen::rt::TILE_ISA {
namespace {

constexpr int kVectors = kTileColumns / kLanes;
constexpr int kPanelStep = kTileColumns * int(kGroup);  // bytes
constexpr int kPrefetchSteps = 16;
constexpr int kOffset = int(0x80808080u);  // 128 in each byte

template <int Rows, bool SignedLeft>
struct ByteSums {
  Ints v[Rows][kVectors];
  Ints offset[kVectors];  // 128 x the columns' sums

  BYTES_FN void add(const int (&left)[Rows], const u8* panel) {
    Ints right[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; j++) right[j] = (Ints) * (const UnalignedInts*)(panel + j * 4 * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) {
      Ints x = Ints{} + left[r];
      if constexpr (SignedLeft) x ^= kOffset;
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; j++) v[r][j] = dot(v[r][j], x, right[j]);
    }
    if constexpr (SignedLeft) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; j++) offset[j] = dot(offset[j], Ints{} + kOffset, right[j]);
    }
  }
};

template <int Rows>
BYTES_FN void load_groups(int (&left)[Rows], const u8* const (&row)[Rows], long at) {
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++) left[r] = load_group(row[r] + at);
}

template <int Rows, bool SignedLeft>
BYTES_FN void byte_rows(ByteSums<Rows, SignedLeft>& sums, const u8* const (&row)[Rows], long K, const u8*& panel) {
  int left[Rows];
  long k = 0;
#pragma GCC unroll 1
  for (; k + 4 * kGroup <= K; k += 4 * kGroup, panel += 4 * kPanelStep) {
#pragma GCC unroll 4
    for (int u = 0; u < 4; u++) {
#pragma GCC unroll 4
      for (int line = 0; line < kPanelStep; line += 64)
        __builtin_prefetch(panel + (u + kPrefetchSteps) * kPanelStep + line);
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

template <int Rows, bool SignedLeft>
void byte_tile(const void* const* left, long taps, long K, const void* packed, void* block, long ldc, long) {
  ByteSums<Rows, SignedLeft> sums = {};
  const u8* panel = (const u8*)packed;
  for (long t = 0; t < taps; t++, left += Rows) {
    const u8* row[Rows];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) row[r] = (const u8*)left[r];
    byte_rows<Rows, SignedLeft>(sums, row, K, panel);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; j++)
      store((int*)block + r * ldc + j * kLanes, SignedLeft ? sums.v[r][j] - sums.offset[j] : sums.v[r][j]);
}

}  // namespace
}  // namespace cppgen::rt::TILE_ISA
