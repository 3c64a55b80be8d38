#pragma once
#include <memory>

#include "runtime/library/library.h"

namespace cppgen::rt {

// Sums or products of all elements up to each one along an axis; those of floats are of doubles.
//   inputs:  x; where the axis is a value of the run also that, one int64 in [-rank, rank)
//   outputs: of x's type and shape
// Parameters: these, then the dimensions.
enum CumSumParam { kCumSumDType, kCumSumExclusive, kCumSumReverse, kCumSumAxis, kCumSumDims };
inline constexpr int64_t kCumSumAxisOfRun = -1;  // as kCumSumAxis

std::unique_ptr<LibraryOperator> create_cumsum(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_cumprod(const LibraryCall&);

}  // namespace cppgen::rt
