#pragma once
#include "cppgen/ops/common.h"

namespace cppgen::ops {

enum class PowerRounding : uint8_t { up, down, nearest };  // to powers of two, away from zero; ties of nearest go up

struct Conversion {
  bool saturate = true;  // floats of eight bits
  // Floats that become integers of four or two bits: beyond their range they keep the low bits, instead of saturating.
  bool wrap = false;
  PowerRounding powers = PowerRounding::up;  // float8e8m0
};

// x as a value that a tensor of this type stores: what Cast means. It is rounded also where it is read without being
// stored. Floats become integers by truncation, saturated, NaN gives 0; integers wrap. Integers of four or two bits are
// rounded to from floats, to nearest even. Floats of eight bits saturate to their greatest numbers, infinities too, or
// without `saturate` become infinite, or NaN where there is no infinity. float4e2m1 saturates; NaN gives -0. Negative
// numbers become the least float8e8m0, or NaN without `saturate`.
Scalar converted(Scalar x, DType storage, const Conversion& = {});
// The number that a value of a tensor of this type stands for: itself, or the float32 that a code means.
Scalar number_of(Scalar value, DType storage);

// UserError if an input, or a typed output, is of a narrow type (is_narrow), and the operator neither converts nor
// moves elements.
void check_narrow_types(const Graph&, const InferContext&);
// UserError if an input or output is a tensor of strings, and the operator neither moves elements nor is the host's.
void check_string_types(const Graph&, const InferContext&);

}  // namespace cppgen::ops
