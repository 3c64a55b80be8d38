#pragma once
#include <cstdint>
#include <string>

#include "runtime/base/dtype.h"
#include "runtime/values/tensor.h"

namespace cppgen {

// An element as text; integers are exact.
std::string element_text(DType type, const void* data, int64_t index);

// Statistics of the elements that are not NaN.
struct ValueRange {
  double min = 0, mean = 0, max = 0;
  int64_t counted = 0, nans = 0;
};
ValueRange range_of(const rt::TensorView&);

// "min -0.1, mean 0.2, max 0.9", or the first elements of integers, bools and small tensors.
std::string summary_text(const rt::TensorView&);

}  // namespace cppgen
