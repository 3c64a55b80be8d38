#pragma once
#include "cppgen/ops/common.h"

namespace cppgen::ops {

enum class PowerRounding : uint8_t { up, down, nearest };  // to powers of two, away from zero; `nearest` rounds ties up

struct Conversion {
  bool saturate = true;  // floats of eight bits
  // Floats that become integers of four or two bits keep, beyond their range, the low bits instead of saturating.
  bool wrap = false;
  PowerRounding powers = PowerRounding::up;  // float8e8m0
};

// x converted to a tensor of this type, as Cast does. The value is rounded even if it is used without being stored.
// Floats become integers by truncation, saturated, NaN gives 0; integers wrap. Floats are rounded to nearest even when
// they become integers of four or two bits. Floats of eight bits saturate to their greatest number, also from
// infinities; without `saturate` they become infinite, or NaN if the type has no infinity. float4e2m1 saturates; NaN
// gives -0. Negative numbers become the smallest float8e8m0, or NaN without `saturate`.
Scalar converted(Scalar x, DType storage, const Conversion& = {});
// The number that a value of a tensor of this type represents: itself, or the float32 of a code.
Scalar number_of(Scalar value, DType storage);

}  // namespace cppgen::ops
