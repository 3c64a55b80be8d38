#pragma once
#include <string>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// The dimensions of a product with numpy.matmul's rules: a [batch.., m, k] and b [batch.., k, n], either of them 1-D,
// batch dimensions broadcast.
struct MatMulShapes {
  Shape a, b, batch;
  IndexExpr k;
  Shape result;
  // Each dimension of a and b has this position in the tensor; if empty, they are in order.
  std::vector<int> a_order{}, b_order{};
};
MatMulShapes matmul_shapes(InferContext&, const Shape& a, const Shape& b);

// out = a x b as a contraction in the accumulation type.
void emit_matmul(LowerContext&, const MatMulShapes&, ir::BufferId a, ir::BufferId b, ir::BufferId out, DType accumulate,
                 const std::string& name);

// Gemm's types and shapes, and its value: finish(alpha op(a) op(b) + beta c).
void infer_gemm(InferContext&);
void emit_gemm(LowerContext&, const std::function<Scalar(Scalar)>& finish = nullptr);

}  // namespace cppgen::ops
