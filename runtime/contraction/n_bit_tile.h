// Tiles over weights of few bits (n_bit_layout.h), which become float32 in registers or, for many tiles of rows, in
// scratch memory, for translation units that include n_bit_vec.h and vec/<isa>/vec.h before and define
//   multiply_add(a, b, c)
//   widen_bytes(p)          kLanes unsigned bytes as numbers
// in cppgen::rt::TILE_ISA.
#pragma once

#include "runtime/contraction/long_sums.h"
#include "runtime/contraction/n_bit_block_head.h"
#include "runtime/contraction/row_table.h"

namespace cppgen::rt::TILE_ISA {

// Up to this many rows, sums are computed block by block and then scaled, so the panel is read at the speed of memory.
// For more rows the weights are scaled, which costs little compared with the products.
constexpr int kMostBlockSums = 4;
constexpr int kPrefetchBytes = 2048;
// Up to this many rows, unpacking takes so long that weights are looked up in tables where there are any.
constexpr int kMostLookups = 2;

// A weight at place p of a half word, inserted below the exponent of 2^(23 - p * Bits), yields the weight plus that
// power, which is subtracted together with its zero. Both operations are exact.
template <int Bits, int Vectors>
class NBitNumbers {
 public:
  static constexpr int kPlaces = 16 / Bits;

  // Sets the zeros that all weights have.
  TILE_MEMBER void set_zeros(const Vector (&zero)[Vectors]) {
#pragma GCC unroll 4
    for (int p = 0; p < kPlaces; p++)
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) offset_[p][j] = splat(power(p)) + zero[j];
  }
  // Is for the weights at place p of the words' lower halves.
  template <int P>
  TILE_MEMBER Vector at(Words words, int j) const {
    constexpr unsigned kMask = ((1u << Bits) - 1) << (P * Bits), kPower = unsigned(127 + 23 - P * Bits) << 23;
    return (Vector)((words & kMask) | kPower) - offset_[P][j];
  }
  // Does the same for the upper halves.
  template <int P>
  TILE_MEMBER Vector upper(Words words, int j) const {
    return at<P>(words >> 16, j);
  }

 private:
  Vector offset_[kPlaces][Vectors];

  static constexpr float power(int p) { return float(1 << (23 - p * Bits)); }
};

// Unpacks numbers of four bits, which all have one zero, by a table.
template <class Table>
class NBitLookup {
 public:
  template <int Vectors>
  TILE_MEMBER void set_zeros(const Vector (&zero)[Vectors]) {
    table_ = Table(zero[0][0]);
  }
  template <int P>
  TILE_MEMBER Vector at(Words words, int) const {
    return table_.lowest(words >> (4 * P));
  }
  template <int P>
  TILE_MEMBER Vector upper(Words words, int) const {
    return table_.upper(words >> (4 * P));
  }

 private:
  Table table_{0};
};

// States how zeros are subtracted: whole numbers together with the power, any zeros by themselves (`separate`), or by a
// table, of four bits with one zero for all weights.
enum class ZerosAre { whole, separate, one };

template <int Bits, int Vectors, ZerosAre Kind>
struct NumbersOf {
  typedef NBitNumbers<Bits, Vectors> Type;
};
template <int Vectors>
struct NumbersOf<4, Vectors, ZerosAre::one> {
  typedef NBitLookup<FourBitTable<kLanes>> Type;
};

// The weights of one block of K at a time, without their scales.
template <int Bits, int Vectors, ZerosAre Kind>
class NBitBlock {
 public:
  static constexpr int kColumns = Vectors * kLanes, kWordSteps = 32 / Bits;

  TILE_MEMBER explicit NBitBlock(const n_bits::PanelHeader& header) : header_(header) {
    Vector zero[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) zero[j] = splat(kSeparate ? 0 : header.same_zero);
    numbers_.set_zeros(zero);
  }

  // Reads the head of a block; returns where its weights are.
  TILE_MEMBER const char* read_scales(const char* p) {
    p = head_.read(header_, p);
    if (Kind == ZerosAre::whole && header_.zeros != n_bits::Zeros::same) numbers_.set_zeros(head_.zero);
    return p;
  }

  // Is for the weights at place P of the words' lower halves.
  template <int P>
  TILE_MEMBER Vector at(Words words, int j) const {
    const Vector weight = numbers_.template at<P>(words, j);
    return kSeparate ? weight - head_.zero[j] : weight;
  }
  // Does the same for the upper halves.
  template <int P>
  TILE_MEMBER Vector upper(Words words, int j) const {
    const Vector weight = numbers_.template upper<P>(words, j);
    return kSeparate ? weight - head_.zero[j] : weight;
  }
  TILE_MEMBER Vector scale(int j) const { return head_.scale[j]; }

 private:
  static constexpr bool kSeparate = Kind == ZerosAre::separate;

  const n_bits::PanelHeader& header_;
  typename NumbersOf<Bits, Vectors, Kind>::Type numbers_;
  NBitBlockHead<Vectors> head_;
};

template <int Rows, int Bits, int Vectors, ZerosAre Kind>
class NBitSums {
 public:
  using Block = NBitBlock<Bits, Vectors, Kind>;
  static constexpr int kColumns = Block::kColumns, kWordSteps = Block::kWordSteps;
  static constexpr bool kScalesWeights = Rows > kMostBlockSums;

  TILE_MEMBER explicit NBitSums(const n_bits::PanelHeader& header) : block_(header) {}

  TILE_MEMBER const char* read_scales(const char* p) { return block_.read_scales(p); }

  // The next `count` steps, all of a word or, with Some, fewer.
  template <bool Some>
  TILE_MEMBER void add_words(const float* const (&row)[Rows], long k, int count, const char* p) {
    Words words[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      words[j] = *(const WordsInMemory*)(p + j * long(sizeof(Words)));
      if constexpr (!Some) __builtin_prefetch(p + j * long(sizeof(Words)) + kPrefetchBytes);
    }
    add_half<Some, false>(row, k, count, words);
    add_half<Some, true>(row, k + kWordSteps / 2, count - kWordSteps / 2, words);
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
          total_[r][j] = multiply_add(sum, block_.scale(j), total_[r][j]);
#pragma GCC unroll 4
          for (int c = 0; c < kChains; c++) part_[r][j][c] = Vector{};
        }
    }
  }

  // Moves the sums so far to memory.
  TILE_MEMBER void move_to(float* c, long ldc, bool adds) { store_sums(total_, c, ldc, adds); }

 private:
  static constexpr int kChains = Rows == 1   ? 4
                                 : Rows == 2 ? 2
                                             : 1;  // several independent sums hide the latency of an addition

  Block block_;
  Vector total_[Rows][Vectors] = {}, part_[kScalesWeights ? 1 : Rows][Vectors][kChains] = {};

  template <bool Some, bool Upper, int P = 0>
  TILE_MEMBER void add_half(const float* const (&row)[Rows], long k, int count, const Words (&words)[Vectors]) {
    if (Some && count <= P) return;
    add_step<P, Upper>(row, k + P, words);
    if constexpr (P + 1 < kWordSteps / 2) add_half<Some, Upper, P + 1>(row, k, count, words);
  }

  template <int P, bool Upper>
  TILE_MEMBER void add_step(const float* const (&row)[Rows], long k, const Words (&words)[Vectors]) {
    Vector weight[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      weight[j] = Upper ? block_.template upper<P>(words[j], j) : block_.template at<P>(words[j], j);
      if constexpr (kScalesWeights) weight[j] *= block_.scale(j);
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) {
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) {
        const float* from = row[r] + k;
        // This keeps the compiler from broadcasting once for all vectors.
        if (kBroadcastsInPlace && !kScalesWeights && j > 0) asm("" : "+r"(from));
        const Vector x = splat(*from);
        Vector& sum = kScalesWeights ? total_[r][j] : part_[kScalesWeights ? 0 : r][j][P % kChains];
        sum = multiply_add(x, weight[j], sum);
      }
    }
  }
};

template <int Rows, int Bits, int Vectors, ZerosAre Kind>
void n_bit_rows(const void* const* left, long K, const n_bits::PanelHeader& header, float* c, long ldc) {
  using Sums = NBitSums<Rows, Bits, Vectors, Kind>;
  Sums sums(header);
  const float* row[Rows];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++) row[r] = (const float*)left[r];
  const char* p = (const char*)&header + n_bits::kHeaderBytes;
  long moved = 0, additions = 0;  // steps whose sums are in memory, additions since then
  for (long begin = 0; begin < K; begin += header.block) {
    const long rest = K - begin, end = begin + (rest < header.block ? rest : header.block);
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
  if (moved < K || K == 0) sums.move_to(c, ldc, moved > 0);
}

template <int Rows, int Vectors>
void n_bit_tile(const void* const* left, long, long K, const void* panel, void* block, long ldc) {
  const auto& header = *(const n_bits::PanelHeader*)panel;
  float* const c = (float*)block;
  constexpr ZerosAre kSeparate = ZerosAre::separate;
  // With many rows, additions take no time beside the products.
  constexpr ZerosAre kWhole = Rows > kMostBlockSums ? kSeparate : ZerosAre::whole;
  if constexpr (Rows <= kMostLookups && FourBitTable<kLanes>::kExists)
    if (header.bits == 4 && header.zeros == n_bits::Zeros::same)
      return n_bit_rows<Rows, 4, Vectors, ZerosAre::one>(left, K, header, c, ldc);
  const bool separate = kWhole == kSeparate || header.zeros == n_bits::Zeros::floats;
  if (header.bits == 4 && separate) return n_bit_rows<Rows, 4, Vectors, kSeparate>(left, K, header, c, ldc);
  if (header.bits == 4) return n_bit_rows<Rows, 4, Vectors, kWhole>(left, K, header, c, ldc);
  if (separate) return n_bit_rows<Rows, 8, Vectors, kSeparate>(left, K, header, c, ldc);
  n_bit_rows<Rows, 8, Vectors, kWhole>(left, K, header, c, ldc);
}

// Writes half a word's steps of weights with their scales, from step P of the half on.
template <int P, class Block>
TILE_FN void unpack_half(const Block& block, const Words (&words)[Block::kColumns / kLanes], float* to, long distance) {
  constexpr int kSlice = vec::slice_columns(Block::kColumns);
#pragma GCC unroll 4
  for (int j = 0; j < Block::kColumns / kLanes; j++) {
    const int column = j * kLanes;
    store(to + column / kSlice * distance + P * kSlice + column % kSlice,
          block.template at<P>(words[j], j) * block.scale(j));
  }
  if constexpr (P + 1 < Block::kWordSteps / 2) unpack_half<P + 1>(block, words, to, distance);
}

// Writes `K` steps of a panel from step `first` on, a multiple of unpacked_k().
template <int Bits, int Vectors, ZerosAre Kind>
void unpack_steps(const n_bits::PanelHeader& header, long first, long K, float* to) {
  using Block = NBitBlock<Bits, Vectors, Kind>;
  constexpr int kSlice = vec::slice_columns(Block::kColumns), kSteps = Block::kWordSteps;
  const long distance = n_bits::unpacked_steps(K) * kSlice, end = first + K;
  const char* const blocks = (const char*)&header + n_bits::kHeaderBytes;
  Block block(header);
  for (long k = first; k < end;) {
    const long number = k / header.block, within = k % header.block, rest = header.block - within;
    const char* p = block.read_scales(blocks + number * n_bits::block_bytes(header, Block::kColumns));
    p += within / kSteps * (Block::kColumns * 4);
    const long stop = k + (end - k < rest ? end - k : rest);
    for (; k < stop; k += kSteps, to += kSteps * kSlice, p += Block::kColumns * 4) {
      Words words[Vectors];
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) words[j] = *(const WordsInMemory*)(p + j * long(sizeof(Words)));
      unpack_half<0>(block, words, to, distance);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; j++) words[j] >>= 16;
      unpack_half<0>(block, words, to + kSteps / 2 * kSlice, distance);
    }
  }
}

// Entry 0 of a set (tiles.h).
template <int Vectors>
void unpack_n_bits(const void* const*, long first, long K, const void* panel, void* to, long, long) {
  const auto& header = *(const n_bits::PanelHeader*)panel;
  float* const weights = (float*)to;
  constexpr ZerosAre kWhole = ZerosAre::whole, kSeparate = ZerosAre::separate;
  const bool floats = header.zeros == n_bits::Zeros::floats;
  if (header.bits == 4 && floats) return unpack_steps<4, Vectors, kSeparate>(header, first, K, weights);
  if (header.bits == 4) return unpack_steps<4, Vectors, kWhole>(header, first, K, weights);
  if (floats) return unpack_steps<8, Vectors, kSeparate>(header, first, K, weights);
  unpack_steps<8, Vectors, kWhole>(header, first, K, weights);
}

// The sums of unpacked steps, in the order of n_bit_rows() with scaled weights.
template <int Rows, int Vectors, bool Adds>
VEC_KEEPS_REGISTERS void unpacked_tile(const void* const* left, long taps, long K, const void* weights, void* block,
                                       long ldc, long) {
  constexpr int kSlice = vec::slice_columns(Vectors * kLanes);
  vec::Sums<TileUnit, Rows, Vectors> sums;
  const vec::PanelSteps<TileUnit, Vectors, float> steps{(const float*)weights, n_bits::unpacked_steps(K) * kSlice};
  vec::add_taps(sums, left, taps, K, steps);
  store_sums(sums.v, (float*)block, ldc, Adds);
}

// Weights become float32 in registers for up to MostRows rows.
template <int Rows, int MostRows, int Vectors>
void whole_tile(const void* const* left, long taps, long K, const void* panel, void* block, long ldc, long) {
  if constexpr (Rows <= MostRows) {
    n_bit_tile<Rows, Vectors>(left, taps, K, panel, block, ldc);
  } else {
    constexpr int kFirst = (Rows + 1) / 2;
    whole_tile<kFirst, MostRows, Vectors>(left, taps, K, panel, block, ldc, 0);
    whole_tile<Rows - kFirst, MostRows, Vectors>(left + kFirst, taps, K, panel, (float*)block + kFirst * ldc, ldc, 0);
  }
}

// The tiles of 1 to MaxRows rows, and in entry 0 the function that unpacks weights: as tiles.h says.
template <int MaxRows, int MostRows, int Vectors>
struct NBitTable : RowTable<TileFunction, MaxRows, 3> {
  constexpr NBitTable()
      : RowTable<TileFunction, MaxRows, 3>([](auto rows) {
          return RowFunctions<TileFunction, 3>{whole_tile<rows, MostRows, Vectors>, unpacked_tile<rows, Vectors, false>,
                                               unpacked_tile<rows, Vectors, true>};
        }) {
    this->functions[0] = unpack_n_bits<Vectors>;
  }
};
template <int MaxRows, int MostRows, int Vectors>
constexpr NBitTable<MaxRows, MostRows, Vectors> n_bit_table;

template <int MaxRows, int MostRows, int Vectors>
constexpr TileSet n_bit_set(PrepareFunction prepare = nullptr) {
  return {MaxRows, Vectors * kLanes, n_bit_table<MaxRows, MostRows, Vectors>.functions, prepare};
}

}  // namespace cppgen::rt::TILE_ISA
