// Tiles over weights of few bits (n_bit_layout.h), which become float32 in registers, for translation units that
// include n_bit_vec.h before and define
//   multiply_add(a, b, c)
//   widen_bytes(p)          kLanes unsigned bytes as numbers
// in cppgen::rt::TILE_ISA.
#pragma once

#include "runtime/contraction/long_sums.h"
#include "runtime/contraction/n_bit_layout.h"

namespace cppgen::rt::TILE_ISA {

// Up to this many rows, sums are computed block by block and then scaled, so the panel is read at the speed of memory.
// For more rows the weights are scaled, which costs little compared with the products.
constexpr int kMostBlockSums = 4;
constexpr int kPrefetchBytes = 2048;

// A weight at place p of a half word, inserted below the exponent of 2^(23 - p * Bits), yields the weight plus that
// power, which is subtracted together with its zero. Both operations are exact.
template <int Bits, int Vectors>
class NBitNumbers {
 public:
  static constexpr int kPlaces = 16 / Bits;

  // For weights with these zeros.
  TILE_MEMBER void set_zeros(const Vector (&zero)[Vectors]) {
#pragma GCC unroll 4
    for (int p = 0; p < kPlaces; p++)
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) offset_[p][j] = splat(power(p)) + zero[j];
  }
  // For the weights at place p of the words' lower halves.
  template <int P>
  TILE_MEMBER Vector at(Words words, int j) const {
    constexpr unsigned kMask = ((1u << Bits) - 1) << (P * Bits), kPower = unsigned(127 + 23 - P * Bits) << 23;
    return (Vector)((words & kMask) | kPower) - offset_[P][j];
  }

 private:
  Vector offset_[kPlaces][Vectors];

  static constexpr float power(int p) { return float(1 << (23 - p * Bits)); }
};

template <int Rows, int Bits, int Vectors, bool FloatZeros>
class NBitSums {
 public:
  static constexpr int kColumns = Vectors * kLanes, kWordSteps = 32 / Bits;
  static constexpr bool kScalesWeights = Rows > kMostBlockSums;

  TILE_MEMBER explicit NBitSums(const n_bits::PanelHeader& header) : header_(header) {
    Vector zero[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) zero[j] = splat(FloatZeros ? 0 : header.same_zero);
    numbers_.set_zeros(zero);
  }

  TILE_MEMBER const char* read_scales(const char* p) {
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) scale_[j] = load((const float*)p + j * kLanes);
    p += kColumns * 4;
    if (!FloatZeros && header_.zeros == n_bits::Zeros::same) return p;
    Vector zero[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++)
      zero[j] = FloatZeros ? load((const float*)p + j * kLanes) : widen_bytes((const unsigned char*)p + j * kLanes);
    if constexpr (FloatZeros) {
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) zero_[j] = zero[j];
      return p + kColumns * 4;
    }
    numbers_.set_zeros(zero);
    return p + kColumns;
  }

  // The next `count` steps, all of a word or, with Some, fewer.
  template <bool Some>
  TILE_MEMBER void add_words(const float* const (&row)[Rows], long k, int count, const char* p) {
    Words words[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      words[j] = *(const WordsInMemory*)(p + j * long(sizeof(Words)));
      if constexpr (!Some) __builtin_prefetch(p + j * long(sizeof(Words)) + kPrefetchBytes);
    }
    add_half<Some>(row, k, count, words);
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) words[j] >>= 16;
    add_half<Some>(row, k + kWordSteps / 2, count - kWordSteps / 2, words);
  }

  TILE_MEMBER void end_block() {
    if constexpr (!kScalesWeights) {
#pragma GCC unroll 4
      for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
        for (int j = 0; j < Vectors; j++) {
          Vector sum = part_[r][j][0];
          if constexpr (kChains == 2) sum += part_[r][j][1];
          if constexpr (kChains == 4) sum = (sum + part_[r][j][1]) + (part_[r][j][2] + part_[r][j][3]);
          total_[r][j] = multiply_add(sum, scale_[j], total_[r][j]);
#pragma GCC unroll 4
          for (int c = 0; c < kChains; c++) part_[r][j][c] = Vector{};
        }
    }
  }

  // Moves the sums so far to memory.
  TILE_MEMBER void move_to(float* c, long ldc, bool adds) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) {
        float* const to = c + r * ldc + j * kLanes;
        store(to, adds ? load(to) + total_[r][j] : total_[r][j]);
        total_[r][j] = Vector{};
      }
  }

 private:
  static constexpr int kChains = Rows == 1   ? 4
                                 : Rows == 2 ? 2
                                             : 1;  // several independent sums hide the latency of an addition

  const n_bits::PanelHeader& header_;
  NBitNumbers<Bits, Vectors> numbers_;
  Vector total_[Rows][Vectors] = {}, part_[kScalesWeights ? 1 : Rows][Vectors][kChains] = {};
  Vector scale_[Vectors], zero_[Vectors];

  template <bool Some, int P = 0>
  TILE_MEMBER void add_half(const float* const (&row)[Rows], long k, int count, const Words (&words)[Vectors]) {
    if (Some && count <= P) return;
    add_step<P>(row, k + P, words);
    if constexpr (P + 1 < kWordSteps / 2) add_half<Some, P + 1>(row, k, count, words);
  }

  template <int P>
  TILE_MEMBER void add_step(const float* const (&row)[Rows], long k, const Words (&words)[Vectors]) {
    Vector weight[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      weight[j] = numbers_.template at<P>(words[j], j);
      if constexpr (FloatZeros) weight[j] -= zero_[j];
      if constexpr (kScalesWeights) weight[j] *= scale_[j];
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) {
      const Vector x = splat(row[r][k]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) {
        Vector& sum = kScalesWeights ? total_[r][j] : part_[kScalesWeights ? 0 : r][j][P % kChains];
        sum = multiply_add(x, weight[j], sum);
      }
    }
  }
};

template <int Rows, int Bits, int Vectors, bool FloatZeros>
void n_bit_rows(const void* const* left, long depth, const n_bits::PanelHeader& header, float* c, long ldc) {
  using Sums = NBitSums<Rows, Bits, Vectors, FloatZeros>;
  Sums sums(header);
  const float* row[Rows];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++) row[r] = (const float*)left[r];
  const char* p = (const char*)&header + n_bits::kHeaderBytes;
  long moved = 0, additions = 0;  // steps whose sums are in memory, additions since then
  for (long begin = 0; begin < depth; begin += header.block) {
    const long rest = depth - begin, end = begin + (rest < header.block ? rest : header.block);
    p = sums.read_scales(p);
    for (long k = begin; k < end;) {
      const long stop = k + (end - k < kBlockTerms ? end - k : kBlockTerms);
      long at = k;
#pragma GCC unroll 1
      for (; at + Sums::kWordSteps <= stop; at += Sums::kWordSteps, p += Sums::kColumns * 4)
        sums.template add_words<false>(row, at, Sums::kWordSteps, p);
      if (at < stop) sums.template add_words<true>(row, at, int(stop - at), p);
      additions += Sums::kScalesWeights ? stop - k : 1;
      sums.end_block();
      if (additions >= kBlockTerms) sums.move_to(c, ldc, moved > 0), moved = stop, additions = 0;
      k = stop;
    }
  }
  if (moved < depth || depth == 0) sums.move_to(c, ldc, moved > 0);
}

template <int Rows, int Vectors>
void n_bit_tile(const void* const* left, long, long depth, const void* panel, void* block, long ldc) {
  const auto& header = *(const n_bits::PanelHeader*)panel;
  float* const c = (float*)block;
  const bool floats = header.zeros == n_bits::Zeros::floats;
  if (header.bits == 4 && floats) return n_bit_rows<Rows, 4, Vectors, true>(left, depth, header, c, ldc);
  if (header.bits == 4) return n_bit_rows<Rows, 4, Vectors, false>(left, depth, header, c, ldc);
  if (floats) return n_bit_rows<Rows, 8, Vectors, true>(left, depth, header, c, ldc);
  n_bit_rows<Rows, 8, Vectors, false>(left, depth, header, c, ldc);
}

// The tiles of 1 to MaxRows rows.
template <int MaxRows, int Vectors>
struct NBitTable {
  TileFunction functions[MaxRows + 1] = {};

  constexpr NBitTable() { fill<1>(); }
  template <int Rows>
  constexpr void fill() {
    functions[Rows] = n_bit_tile<Rows, Vectors>;
    if constexpr (Rows < MaxRows) fill<Rows + 1>();
  }
};
template <int MaxRows, int Vectors>
constexpr NBitTable<MaxRows, Vectors> n_bit_table;

template <int MaxRows, int Vectors>
constexpr TileSet n_bit_set(PrepareFunction prepare = nullptr) {
  return {MaxRows, Vectors * kLanes, n_bit_table<MaxRows, Vectors>.functions, prepare};
}

}  // namespace cppgen::rt::TILE_ISA
