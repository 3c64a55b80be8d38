#pragma once
#include <memory>

#include "runtime/library/library.h"

namespace cppgen::rt {

// Discrete Fourier transforms of rows, summed in double.
//   input:   samples [rows, length, parts]; parts: 1 (real) or 2 (real and imaginary part)
//   output:  [rows, bins, 2] of the same type, float32 or float64: the first `bins` frequencies, bins <= length / 2 + 1
//            or bins = length; of an inverse transform divided by the length
enum DftParam { kDftDType, kDftRows, kDftLength, kDftParts, kDftBins, kDftInverse, kDftParams };

std::unique_ptr<LibraryOperator> create_dft(const LibraryCall&);

}  // namespace cppgen::rt
