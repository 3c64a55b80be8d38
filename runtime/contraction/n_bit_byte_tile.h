// Tiles over weights of few bits (n_bit_layout.h) and rows of signed bytes, whose blocks of K have scales, too:
// exact sums of products of bytes, which are scaled block by block. For translation units that include n_bit_vec.h
// before and define
//   dot<Bits>(sums, weights, bytes)   adds to each 32-bit lane four products of an unsigned number of so many bits and
//                                     a signed byte
// in cppgen::rt::TILE_ISA.
#pragma once

#include "runtime/contraction/long_sums.h"
#include "runtime/contraction/n_bit_block_head.h"
#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {

typedef int Ints __attribute__((vector_size(4 * kLanes)));
typedef int IntInMemory __attribute__((aligned(1), may_alias));

// The sums of one block. Steps of K alternate between chains, which hides the latency of a dot product.
template <int Rows, int Bits, int Vectors>
class NBitByteSums {
 public:
  static constexpr int kWordSteps = 32 / Bits, kColumns = Vectors * kLanes;

  // The steps of one word: bytes of weights, or the lower halves of bytes before the upper ones.
  TILE_MEMBER void add_words(const char* const (&row)[Rows], long k, const char* p) {
    Ints words[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) words[j] = (Ints) * (const WordsInMemory*)(p + j * long(sizeof(Words)));
    if constexpr (Bits == 8) {
      add_steps<0>(row, k, words);
    } else {
      Ints halves[Vectors];
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) halves[j] = words[j] & kLowerHalves;
      add_steps<0>(row, k, halves);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) halves[j] = words[j] >> 4 & kLowerHalves;
      add_steps<1>(row, k + 4, halves);
    }
  }
  TILE_MEMBER Ints sum(int r, int j) const {
    return kChains == 1 ? part_[r][j][0] : part_[r][j][0] + part_[r][j][kChains - 1];
  }

 private:
  static constexpr int kLowerHalves = 0x0f0f0f0f, kChains = Rows <= 2 && Bits == 4 ? 2 : 1;

  Ints part_[Rows][Vectors][kChains] = {};

  template <int Half>
  TILE_MEMBER void add_steps(const char* const (&row)[Rows], long k, const Ints (&weights)[Vectors]) {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; r++) {
      const Ints x = Ints{} + *(const IntInMemory*)(row[r] + k);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) {
        Ints& sum = part_[r][j][Half % kChains];
        sum = dot<Bits>(sum, weights[j], x);
      }
    }
  }
};

template <int Rows, int Bits, int Vectors>
void n_bit_byte_rows(const void* const* left, long K, const n_bits::PanelHeader& header, float* c, long ldc) {
  using Sums = NBitByteSums<Rows, Bits, Vectors>;
  Vector total[Rows][Vectors] = {};
  const char* row[Rows];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; r++) row[r] = (const char*)left[r];
  const char* p = (const char*)&header + n_bits::kHeaderBytes;
  bool adds = false;
  long additions = 0;  // since sums were moved to memory
  for (long k = 0, number = 0; k < K; number++) {
    NBitBlockHead<Vectors> head;
    p = head.read(header, p);
    Sums sums;
    const long end = k + header.block;
#pragma GCC unroll 1
    for (; k < end; k += Sums::kWordSteps, p += Sums::kColumns * 4) sums.add_words(row, k, p);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; r++) {
      const float* const of_row = (const float*)left[Rows + r] + 2 * number;  // the scale, the sum of the bytes
      const Vector scale = splat(of_row[0]), bytes = splat(of_row[1]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) {
        const Vector sum = multiply_add(-head.zero[j], bytes, __builtin_convertvector(sums.sum(r, j), Vector));
        total[r][j] = multiply_add(sum * scale, head.scale[j], total[r][j]);
      }
    }
    if (++additions == kBlockTerms) store_sums(total, c, ldc, adds), adds = true, additions = 0;
  }
  if (additions > 0 || !adds) store_sums(total, c, ldc, adds);
}

template <int Rows, int Vectors>
void n_bit_byte_tile(const void* const* left, long, long K, const void* panel, void* block, long ldc, long) {
  const auto& header = *(const n_bits::PanelHeader*)panel;
  float* const c = (float*)block;
  if (header.bits == 4) return n_bit_byte_rows<Rows, 4, Vectors>(left, K, header, c, ldc);
  n_bit_byte_rows<Rows, 8, Vectors>(left, K, header, c, ldc);
}

template <int MaxRows, int Vectors>
constexpr RowTable<TileFunction, MaxRows, 1> n_bit_byte_table([](auto rows) {
  return RowFunctions<TileFunction, 1>{n_bit_byte_tile<rows, Vectors>};
});

template <int MaxRows, int Vectors>
constexpr TileSet n_bit_byte_set() {
  return {MaxRows, Vectors * kLanes, n_bit_byte_table<MaxRows, Vectors>.functions};
}

}  // namespace cppgen::rt::TILE_ISA
