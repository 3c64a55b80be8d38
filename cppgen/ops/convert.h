#pragma once
#include "cppgen/ops/common.h"

namespace cppgen::ops {

// x as a value that a tensor of this type stores: what Cast means. It is rounded also where it is read without being
// stored. Floats become integers by truncation, saturated, NaN
// gives 0; integers wrap. Integers of four bits are rounded to from floats, to nearest even. Floats of eight bits
// saturate to their greatest numbers, infinities too, or with `saturate` false become infinite, or NaN where there is
// no infinity.
Scalar converted(Scalar x, DType storage, bool saturate = true);

// The least and greatest integer that a tensor of this type of at most 32 bits stores.
struct IntegerRange {
  double least, greatest;
};
IntegerRange range_of(DType integer);

// UserError if an input, or a typed output, is float8, int4 or uint4, and the operator neither converts nor moves
// elements.
void check_narrow_types(const Graph&, const InferContext&);
// UserError if an input or output is a tensor of strings, and the operator neither moves elements nor is the host's.
void check_string_types(const Graph&, const InferContext&);

}  // namespace cppgen::ops
