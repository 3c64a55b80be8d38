// Rows as float32, or as they are if they are of float64, for translation units that define TILE_ISA and include
// vec/<isa>/vec.h before: a prepare function (tiles.h).
#pragma once

#include "runtime/contraction/prepare_rows.h"

namespace cppgen::rt::TILE_ISA {

template <class T, class To>
VEC_FN void widen(const T* from, long n, To* to) {
  long k = 0;
  for (; k + vec::L <= n; k += vec::L) vec::store<To>(to + k, vec::load<T>(from + k));
  if (k < n) vec::store<To>(to + k, vec::load<T>(from + k, int(n - k)), int(n - k));
}

template <class T, class To = float>
void widen_rows(const void* const* left, long rows, long taps, long K, void* scratch, const void** prepared) {
  const auto convert = [K](const void* from, void* to) __attribute__((always_inline)) {
    widen((const T*)from, K, (To*)to);
  };
  prepare_rows(left, rows, taps, prepared_row_bytes(K, sizeof(To)), scratch, prepared, convert);
}

}  // namespace cppgen::rt::TILE_ISA
