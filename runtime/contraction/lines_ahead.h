#pragma once

#include "runtime/contraction/tiles_ahead.h"

namespace cppgen::rt::TILE_ISA {

// The lines that a matrix tile prefetches into the second-level cache while it multiplies (tiles.h).
class LinesAhead {
 public:
  __attribute__((always_inline)) LinesAhead(const void* panel, long ahead)
      : next_((const char*)panel + (ahead - ahead % kLineBytes)), lines_(ahead % kLineBytes) {}

  __attribute__((always_inline)) void fetch() {
    for (long i = 0; i < lines_; i++, next_ += kLineBytes) __builtin_prefetch(next_, 0, 2);
  }

 private:
  const char* next_;
  long lines_;
};

}  // namespace cppgen::rt::TILE_ISA
