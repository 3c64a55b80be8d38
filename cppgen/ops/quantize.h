#pragma once
#include "cppgen/ops/common.h"

namespace cppgen::ops {

// round(x) + zero_point in the integer type, saturated. x and zero_point are floats.
Scalar quantized(Scalar x, Scalar zero_point, DType type);

// Element of a parameter that is a scalar, one value, or one for each position along a dimension at `position`.
Scalar load_parameter(LowerContext&, int input, IndexExpr position);
bool is_single(const Shape&);  // a scalar or one element

// y = quantized x (an input of float32), as uint8 with the range of x, widened to contain 0, mapped to 0..255.
void emit_dynamic_quantization(LowerContext&, int x, ir::BufferId y, ir::BufferId scale, ir::BufferId zero_point);

}  // namespace cppgen::ops
