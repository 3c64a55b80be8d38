#pragma once
#include "cppgen/ops/common.h"

namespace cppgen::ops {

// The shape of a pooling of input 0, [N, C, spatial..], from the attributes.
Shape pooled_shape_of(InferContext&);
// Averages of value(index of input 0, which may lie in the padding); `finish` as in ReductionSpec.
void emit_average_pool(LowerContext&, DType type, const std::function<Scalar(const std::vector<IndexExpr>&)>& value,
                       const std::function<Scalar(Scalar)>& finish = nullptr);

}  // namespace cppgen::ops
