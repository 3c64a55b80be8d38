// 16 floats and their bits as compiler vectors, for any instruction set; the unit that includes it defines TILE_ISA and
// cppgen::rt::TILE_ISA::fused(a, b, c), a * b + c rounded once.
#pragma once

#include "runtime/contraction/split_layout.h"

#define TILE_FN static inline __attribute__((always_inline))

namespace cppgen::rt::TILE_ISA {

constexpr int kLanes = 16;
typedef float Floats __attribute__((vector_size(64)));
typedef unsigned Words __attribute__((vector_size(64)));
typedef unsigned short Halves __attribute__((vector_size(32)));
typedef float FloatsInMemory __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned WordsInMemory __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned short HalvesInMemory __attribute__((vector_size(32), aligned(2), may_alias));

TILE_FN Floats load(const float* p) { return *(const FloatsInMemory*)p; }
TILE_FN void store(float* p, Floats x) { *(FloatsInMemory*)p = x; }
TILE_FN Floats splat(float x) { return Floats{} + x; }

// The numbers rounded to bfloat16, to nearest even, as float32. Of NaN only with `Nan`.
template <bool Nan>
TILE_FN Floats rounded(Floats x) {
  const Words bits = (Words)x;
  Words result = bits + 0x7fffu + ((bits >> 16) & 1u);
  if constexpr (Nan) result = (bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : result;
  return (Floats)(result & 0xffff0000u);
}

// The upper halves: of numbers that rounded() gave, their bfloat16.
TILE_FN void store_upper(unsigned short* p, Floats x) {
  *(HalvesInMemory*)p = __builtin_convertvector((Words)x >> 16, Halves);
}

// Collects the range of magnitudes. A magnitude less one orders zero last.
class RangeFinder {
 public:
  __attribute__((always_inline)) void add(Floats x) {
    const Words magnitude = (Words)x & 0x7fffffffu, less = magnitude - 1u;
    most_ = magnitude > most_ ? magnitude : most_;
    least_ = less < least_ ? less : least_;
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
