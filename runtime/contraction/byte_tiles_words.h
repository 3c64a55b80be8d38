// Tiles over bytes for instruction sets that multiply 16-bit words exactly and add pairs of products, for translation
// units that include byte_tiles.h before and define
//   HalfBytes, Words             vectors of bytes and of as many words; a register of words
//   widen_signed, widen_unsigned bytes as words
//   add_pairs(words, words)      products of words, the sums of neighbours as 32-bit lanes
// there. Bytes are widened first because the instruction that multiplies bytes saturates.
#pragma once

namespace cppgen::rt::TILE_ISA {
namespace {

constexpr int kWordVectors = kTileColumns / (kLanes / 2);  // each holds half a register of columns, four steps of each
constexpr int kPanelStep = kTileColumns * int(kGroup);     // bytes

typedef HalfBytes UnalignedBytes __attribute__((aligned(1), may_alias));
typedef int HalfInts __attribute__((vector_size(2 * kLanes)));

template <class Left>
BYTES_FN Words widen_left(int group) {
  const auto all = (HalfBytes)(HalfInts{} + group);
  if constexpr (__is_same(Left, i8))
    return widen_signed(all);
  else
    return widen_unsigned(all);
}

template <int Rows, class Left>
struct WordSums {
  Ints v[Rows][kWordVectors];  // two adjacent sums for each column

  BYTES_FN void add(const int (&left)[Rows], const u8* panel) {
    Words x[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; r++) x[r] = widen_left<Left>(left[r]);
#pragma GCC unroll 8
    for (int j = 0; j < kWordVectors; j++) {
      const Words right = widen_signed(*(const UnalignedBytes*)(panel + j * long(sizeof(HalfBytes))));
#pragma GCC unroll 8
      for (int r = 0; r < Rows; r++) v[r][j] += add_pairs(x[r], right);
    }
  }
};

// Sums of neighbouring lanes: of `a`, then of `b`.
BYTES_FN Ints join_pairs(Ints a, Ints b) {
  Ints even = {}, odd = {};
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; i++) even[i] = 2 * i, odd[i] = 2 * i + 1;
  return __builtin_shuffle(a, b, even) + __builtin_shuffle(a, b, odd);
}

template <int Rows, class Left>
BYTES_FN void byte_rows(WordSums<Rows, Left>& sums, const u8* const (&row)[Rows], long depth, const u8*& panel) {
  int left[Rows];
  long k = 0;
#pragma GCC unroll 1
  for (; k + kGroup <= depth; k += kGroup, panel += kPanelStep) {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; r++) left[r] = load_group(row[r] + k);
    sums.add(left, panel);
  }
  if (k == depth) return;
#pragma GCC unroll 8
  for (int r = 0; r < Rows; r++) left[r] = load_rest(row[r] + k, depth - k);
  sums.add(left, panel);
  panel += kPanelStep;
}

template <int Rows, class Left>
void byte_tile(const void* const* left, long taps, long depth, const void* packed, void* block, long ldc) {
  WordSums<Rows, Left> sums = {};
  const u8* panel = (const u8*)packed;
  for (long t = 0; t < taps; t++, left += Rows) {
    const u8* row[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; r++) row[r] = (const u8*)left[r];
    byte_rows<Rows, Left>(sums, row, depth, panel);
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < kWordVectors; j += 2)
      store((int*)block + r * ldc + j / 2 * kLanes, join_pairs(sums.v[r][j], sums.v[r][j + 1]));
}

}  // namespace
}  // namespace cppgen::rt::TILE_ISA
