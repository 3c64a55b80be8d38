// Prepare functions that convert rows (tiles.h), for translation units that define TILE_ISA and include
// vec/<isa>/vec.h before.
#pragma once

namespace cppgen::rt::TILE_ISA {

// convert(from, to) converts one row. Neighbouring taps of a convolution share rows: the next row of one tap is often
// this row of the next tap, and padding is one row for all. Rows that are found to be shared are converted once.
template <class Convert>
VEC_FN void prepare_rows(const void* const* left, long rows, long taps, long distance, void* scratch,
                         const void** prepared, const Convert& convert) {
  char* to = (char*)scratch;
  for (long i = 0; i < taps * rows; i++) {
    const long neighbour = i - rows + 1;
    if (i > 0 && left[i] == left[i - 1]) {
      prepared[i] = prepared[i - 1];
    } else if (neighbour >= 0 && neighbour < i && left[i] == left[neighbour]) {
      prepared[i] = prepared[neighbour];
    } else {
      convert(left[i], to);
      prepared[i] = to;
      to += distance;
    }
  }
}

}  // namespace cppgen::rt::TILE_ISA
