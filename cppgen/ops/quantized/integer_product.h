#pragma once
#include "cppgen/ops/contractions/matmul.h"
#include "cppgen/ops/quantized/signed_operand.h"

namespace cppgen::ops {

// Exact products of bytes with zero points:
//   sum (a - za)(b - zb) = sum a b - zb sum a - za (sum b - k zb),
// so that the product runs over bytes, and the last factor is a constant if b is. b is read as signed bytes.

// The left operand and its zero point: known, or a value at an index of the result.
struct LeftBytes {
  ir::BufferId buffer;
  std::optional<int64_t> zero;
  std::function<Scalar(const std::vector<IndexExpr>& at)> zero_at;
};
struct RightBytes {
  SignedOperand operand;
  std::function<Scalar(const std::vector<IndexExpr>& at)> zero_at;  // zero point of the stored bytes
};
LeftBytes left_bytes(LowerContext&, const MatMulShapes&, int input, int zero_point);
RightBytes right_bytes(LowerContext&, const MatMulShapes&, int input, int zero_point);

// The product, int32, as a value at an index of the result. Shapes have their operands in order.
std::function<Scalar(const std::vector<IndexExpr>& at)> emit_integer_product(LowerContext&, const MatMulShapes&,
                                                                             const LeftBytes&, const RightBytes&);

// A zero point is one value, one for each row of a (column of b), or has the operand's shape with an inner 1.
void check_zero_point(InferContext&, int zero_point, int operand, bool rows);
// A scale or zero point at an index of the result.
Scalar row_parameter(LowerContext&, int input, const MatMulShapes&, const std::vector<IndexExpr>& at);
Scalar column_parameter(LowerContext&, int input, const MatMulShapes&, const std::vector<IndexExpr>& at);

}  // namespace cppgen::ops
