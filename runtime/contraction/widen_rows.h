// Rows of float16 or bfloat16 as float32, for translation units that define TILE_ISA and include vec/<isa>/vec.h
// before: a prepare function (tiles.h).
#pragma once

#include "runtime/contraction/prepare_rows.h"

namespace cppgen::rt::TILE_ISA {

template <class T>
VEC_FN void widen(const T* from, long n, float* to) {
  long k = 0;
  for (; k + vec::L <= n; k += vec::L) vec::store<float>(to + k, vec::load<T>(from + k));
  if (k < n) vec::store<float>(to + k, vec::load<T>(from + k, int(n - k)), int(n - k));
}

template <class T>
void widen_rows(const void* const* left, long rows, long taps, long depth, void* scratch, const void** prepared) {
  const auto convert = [depth](const void* from, void* to) __attribute__((always_inline)) {
    widen((const T*)from, depth, (float*)to);
  };
  prepare_rows(left, rows, taps, prepared_row_bytes(depth, sizeof(float)), scratch, prepared, convert);
}

}  // namespace cppgen::rt::TILE_ISA
