#pragma once
#include <string>

#include "cppgen/ops/op.h"

namespace cppgen::ops {

// The dimensions of a product with numpy.matmul's rules: a [batch.., m, k] and b [batch.., k, n], either of them 1-D,
// batch dimensions broadcast.
struct MatMulShapes {
  Shape a, b, batch;
  IndexExpr depth;
  Shape result;
};
MatMulShapes matmul_shapes(InferContext&, const Shape& a, const Shape& b);

// out = a x b as a contraction in the accumulation type.
void emit_matmul(LowerContext&, const MatMulShapes&, ir::BufferId a, ir::BufferId b, ir::BufferId out, DType accumulate,
                 const std::string& name);

}  // namespace cppgen::ops
