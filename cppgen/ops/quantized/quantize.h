#pragma once
#include "cppgen/ops/common.h"

namespace cppgen::ops {

inline constexpr DTypes kBytes = bit(DType::i8) | bit(DType::u8);  // of quantized tensors

// round(x) + zero_point in the integer type, saturated. x and zero_point are floats.
Scalar quantized(Scalar x, Scalar zero_point, DType type);

// Element of a parameter that is a scalar, one value, or one for each position along a dimension at `position`.
Scalar load_parameter(LowerContext&, int input, IndexExpr position);
bool is_single(const Shape&);  // a scalar or one element

// y = quantized x (of float32, with this shape), as uint8 with the range of x, widened to contain 0, mapped to 0..255.
// If all of x is 0, the scale is 1.
void emit_dynamic_quantization(LowerContext&, const std::function<Scalar(const std::vector<IndexExpr>&)>& x,
                               const Shape&, ir::BufferId y, ir::BufferId scale, ir::BufferId zero_point);
void emit_dynamic_quantization(LowerContext&, int x, ir::BufferId y, ir::BufferId scale, ir::BufferId zero_point);

}  // namespace cppgen::ops
