// 16 floats and their bits as compiler vectors, for any instruction set. The unit that includes it defines TILE_ISA and
// in cppgen::rt::TILE_ISA
//   fused(a, b, c)          a * b + c rounded once
//   store_rounded(p, x, y)  32 numbers rounded to bfloat16: to nearest, ties to even; NaN stays NaN; denormals as they
//                           are or as zeros, which is the same to tiles
#pragma once

#include "runtime/contraction/split_layout.h"

#define TILE_FN static inline __attribute__((always_inline))

namespace cppgen::rt::TILE_ISA {

constexpr int kLanes = 16;
typedef float Floats __attribute__((vector_size(64)));
typedef unsigned Words __attribute__((vector_size(64)));
typedef unsigned short Halves __attribute__((vector_size(64)));
typedef float FloatsInMemory __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned WordsInMemory __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned short HalvesInMemory __attribute__((vector_size(64), aligned(2), may_alias));

TILE_FN Floats load(const float* p) { return *(const FloatsInMemory*)p; }
TILE_FN void store(float* p, Floats x) { *(FloatsInMemory*)p = x; }
TILE_FN Floats splat(float x) { return Floats{} + x; }

// Numbers rounded to bfloat16, as float32: to nearest, ties to even; NaN stays NaN.
TILE_FN Floats rounded_to_even(Floats x) {
  const Words bits = (Words)x, even = bits + 0x7fffu + ((bits >> 16) & 1u);
  return (Floats)(((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : even) & 0xffff0000u);
}
// Rounds to nearest, ties away from zero; takes finite numbers below 2^127 only.
TILE_FN Floats rounded_away(Floats x) { return (Floats)(((Words)x + 0x8000u) & 0xffff0000u); }
TILE_FN Floats truncated(Floats x) { return (Floats)((Words)x & 0xffff0000u); }

// The upper halves of 32 numbers: the bfloat16 of numbers that are exact in it.
TILE_FN void store_upper(unsigned short* p, Floats first, Floats second) {
  constexpr Halves kUpper = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                             33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  *(HalvesInMemory*)p = __builtin_shuffle((Halves)first, (Halves)second, kUpper);
}

// Collects the range of magnitudes. A magnitude less one orders zero last.
class RangeFinder {
 public:
  __attribute__((always_inline)) void add(Floats x) {
    const Words magnitude = (Words)x & 0x7fffffffu, less = magnitude - 1u;
    most_ = magnitude > most_ ? magnitude : most_;
    least_ = less < least_ ? less : least_;
  }
  __attribute__((always_inline)) void add(const RangeFinder& other) {
    most_ = other.most_ > most_ ? other.most_ : most_;
    least_ = other.least_ < least_ ? other.least_ : least_;
  }
  __attribute__((always_inline)) split::Range range() const {
    unsigned most = 0, least = ~0u;
    for (int i = 0; i < kLanes; i++) {
      if (most_[i] > most) most = most_[i];
      if (least_[i] < least) least = least_[i];
    }
    if (most == 0) return split::kNothing;
    return {int((least + 1) >> 23) - 127, int(most >> 23) - 127};
  }

 private:
  Words most_ = {}, least_ = ~Words{};
};

}  // namespace cppgen::rt::TILE_ISA
