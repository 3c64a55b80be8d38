#pragma once
#include "cppgen/ops/common.h"
#include "cppgen/ops/windows/window.h"

namespace cppgen::ops {

Window pool_window(InferContext&);  // from the attributes
// Index of the input under the window: at is [n, channel, output position..].
std::vector<IndexExpr> under_window(const Window&, const std::vector<IndexExpr>& at, const std::vector<IndexExpr>& tap);
void lower_max_pool(LowerContext&);

// The shape of a pooling of input 0, [N, C, spatial..], from the attributes.
Shape pooled_shape_of(InferContext&);
// Averages of value(index of input 0, which may be in the padding); `finish` as in ReductionSpec.
void emit_average_pool(LowerContext&, DType type, const std::function<Scalar(const std::vector<IndexExpr>&)>& value,
                       const std::function<Scalar(Scalar)>& finish = nullptr);

}  // namespace cppgen::ops
