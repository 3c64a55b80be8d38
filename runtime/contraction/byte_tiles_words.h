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
constexpr bool kWidensAhead = kLanes == 8;                 // with 32 registers, all rows are in registers

typedef HalfBytes UnalignedBytes __attribute__((aligned(1), may_alias));
typedef int HalfInts __attribute__((vector_size(2 * kLanes)));

template <class Left>
BYTES_FN Words widen_vector(HalfBytes x) {
  if constexpr (__is_same(Left, i8))
    return widen_signed(x);
  else
    return widen_unsigned(x);
}
template <class Left>
BYTES_FN Words widen_left(int group) {
  return widen_vector<Left>((HalfBytes)(HalfInts{} + group));
}

template <int Rows, class Left>
struct WordSums {
  Ints v[Rows][kWordVectors];  // two adjacent sums for each column

  // Does the same for words that are in memory, four of each row. Only two rows of them are kept in registers: with
  // three, sums would have to be in memory, and each addition would wait for the one before.
  BYTES_FN void add_words(long long* const (&left)[Rows], const u8* panel) {
    typedef long long Groups __attribute__((vector_size(sizeof(Words))));
#pragma GCC unroll 8
    for (int j = 0; j < kWordVectors; j++) {
      const Words right = widen_signed(*(const UnalignedBytes*)(panel + j * long(sizeof(HalfBytes))));
#pragma GCC unroll 8
      for (int r = 0; r < Rows; r++) {
        if (r >= 2) asm("" : "+m"(*left[r]));  // g++ has to load it again
        v[r][j] += add_pairs((Words)(Groups{} + *left[r]), right);
      }
    }
  }
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

// Steps of K whose left bytes are widened together, as many as a register has words, because the instructions
// that widen are the slowest. Returns the number of bytes.
template <int Rows, class Left>
BYTES_FN long wide_rows(WordSums<Rows, Left>& sums, const u8* const (&row)[Rows], long K, const u8*& panel) {
  constexpr int kBytes = sizeof(HalfBytes), kGroups = kBytes / int(kGroup);
  alignas(sizeof(Words)) long long words[Rows][kGroups];
  long k = 0;
#pragma GCC unroll 1
  for (; k + kBytes <= K; k += kBytes) {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; r++) {
      const Words x = widen_vector<Left>(*(const UnalignedBytes*)(row[r] + k));
      __builtin_memcpy(words[r], &x, sizeof x);
    }
#pragma GCC unroll 1
    for (int g = 0; g < kGroups; g++, panel += kPanelStep) {
      long long* left[Rows];
#pragma GCC unroll 8
      for (int r = 0; r < Rows; r++) left[r] = &words[r][g];
      sums.add_words(left, panel);
    }
  }
  return k;
}

template <int Rows, class Left>
BYTES_FN void byte_rows(WordSums<Rows, Left>& sums, const u8* const (&row)[Rows], long K, const u8*& panel) {
  int left[Rows];
  long k = kWidensAhead ? wide_rows<Rows, Left>(sums, row, K, panel) : 0;
#pragma GCC unroll 1
  for (; k + kGroup <= K; k += kGroup, panel += kPanelStep) {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; r++) left[r] = load_group(row[r] + k);
    sums.add(left, panel);
  }
  if (k == K) return;
#pragma GCC unroll 8
  for (int r = 0; r < Rows; r++) left[r] = load_rest(row[r] + k, K - k);
  sums.add(left, panel);
  panel += kPanelStep;
}

template <int Rows, class Left>
void byte_tile(const void* const* left, long taps, long K, const void* packed, void* block, long ldc, long) {
  WordSums<Rows, Left> sums = {};
  const u8* panel = (const u8*)packed;
  for (long t = 0; t < taps; t++, left += Rows) {
    const u8* row[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; r++) row[r] = (const u8*)left[r];
    byte_rows<Rows, Left>(sums, row, K, panel);
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < kWordVectors; j += 2)
      store((int*)block + r * ldc + j / 2 * kLanes, join_pairs(sums.v[r][j], sums.v[r][j + 1]));
}

}  // namespace
}  // namespace cppgen::rt::TILE_ISA
