#include "cppgen/ops/quantized/integer_product.h"
#include "cppgen/ops/quantized/quantize.h"

namespace cppgen::ops {
namespace {

void infer_matmul_integer(InferContext& c) {
  require_dtype(c, 0, kBytes);
  require_dtype(c, 1, kBytes);
  check_zero_point(c, 2, 0, true);
  check_zero_point(c, 3, 1, false);
  c.set_output(0, DType::i32, matmul_shapes(c, c.shape(0), c.shape(1)).result);
}

void lower_matmul_integer(LowerContext& c) {
  MatMulShapes s = matmul_shapes(c, c.shape(0), c.shape(1));
  auto product = emit_integer_product(c, s, left_bytes(c, s, 0, 2), right_bytes(c, s, 1, 3));
  c.emit_pointwise(c.output_buffer(0), product, "zero_points");
}

// QLinearMatMul: a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero
void infer_qlinear_matmul(InferContext& c) {
  require_dtype(c, 0, kBytes);
  require_dtype(c, 3, kBytes);
  require_dtype(c, 7, kBytes);
  check_zero_point(c, 2, 0, true);
  check_zero_point(c, 5, 3, false);
  for (int scale : {1, 4, 6}) require_dtype(c, scale, kFloats);
  for (int i : {6, 7}) {
    if (!is_single(c.shape(i))) c.fail("scales and zero points per row of the result are not supported");
  }
  for (int i : {1, 4}) {
    if (c.shape(i).size() != c.shape(i + 1).size()) c.fail("a scale and its zero point have different shapes");
    for (size_t d = 0; d < c.shape(i).size(); ++d)
      require_equal(c, c.shape(i)[d], c.shape(i + 1)[d], "a scale and its zero point");
  }
  c.set_output(0, c.dtype(7), matmul_shapes(c, c.shape(0), c.shape(3)).result);
}

void lower_qlinear_matmul(LowerContext& c) {
  MatMulShapes s = matmul_shapes(c, c.shape(0), c.shape(3));
  auto product = emit_integer_product(c, s, left_bytes(c, s, 0, 2), right_bytes(c, s, 3, 5));
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar scale = row_parameter(c, 1, s, at).cast(DType::f32) * column_parameter(c, 4, s, at).cast(DType::f32) /
                       load_parameter(c, 6, 0).cast(DType::f32);
        Scalar zero = load_parameter(c, 7, 0).cast(DType::f32);
        return quantized(product(at).cast(DType::f32) * scale, zero, c.dtype(7));
      },
      "requantize");
}

}  // namespace

std::vector<Op> quantized_contraction_ops() {
  return {
      {.name = "MatMulInteger",
       .versions = {10},
       .inputs = {2, 4},
       .infer = infer_matmul_integer,
       .lower = lower_matmul_integer},
      {.name = "QLinearMatMul",
       .versions = {10, 21},
       .inputs = 8,
       .infer = infer_qlinear_matmul,
       .lower = lower_qlinear_matmul},
  };
}

}  // namespace cppgen::ops
