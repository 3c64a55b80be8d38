#pragma once
#include <cstdint>

#include "runtime/base/dtype.h"

namespace cppgen {

// The floats of the OCP Microscaling formats, which tensors store as codes.
// - float4e2m1: a sign and the magnitudes 0, 0.5, 1, 1.5, 2, 3, 4, 6. Numbers are rounded to nearest even and saturate;
//   NaN, which the format lacks, becomes -0.
// - float8e8m0: 2^(code - 127), 255 is NaN. Numbers are rounded up and saturate; negative ones become the smallest.
float decoded(DType, uint8_t code);
uint8_t encoded(DType, float);

}  // namespace cppgen
