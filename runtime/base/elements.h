#pragma once
#include <cstdint>

#include "runtime/base/dtype.h"

namespace cppgen {

// Element `index` of a tensor's data as a plain number.
double number_element(DType, const void* data, int64_t index);    // of any type; 64-bit integers are rounded
int64_t integer_element(DType, const void* data, int64_t index);  // of integers and bool; uint64 wraps

}  // namespace cppgen
