// Products of com.microsoft over bytes, with float results or requantized ones.
#include "cppgen/ops/quantized/integer_product.h"
#include "cppgen/ops/quantized/quantize.h"

namespace cppgen::ops {
namespace {

// A scale is one value, or one for each row of a (column of b).
void check_scale(InferContext& c, int scale, int operand, bool rows) {
  require_dtype(c, scale, bit(DType::f32));
  const Shape& s = c.shape(scale);
  const Shape& x = c.shape(operand);
  if (is_single(s)) return;
  if (s.size() != 1 || x.size() < 2) c.fail(fmt::format("input {} (a scale) has the shape {}", scale, to_string(s)));
  require_equal(c, s[0], rows ? x[x.size() - 2] : x.back(), "scales and the dimension they belong to");
}

void check_bias(InferContext& c, int bias, const Shape& result) {
  if (!c.has_input(bias)) return;
  require_dtype(c, bias, bit(DType::f32));
  require_broadcasts_to(c, bias, result);
}

// product x the scale of a x the scale of b (+ bias)
void emit_scaled(LowerContext& c, const MatMulShapes& s, const std::function<Scalar(const At&)>& product,
                 const std::function<Scalar(const At&)>& left_scale, int right_scale, int bias) {
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar y = product(at).cast(DType::f32) * (left_scale(at) * column_parameter(c, right_scale, s, at));
        return c.has_input(bias) ? y + scalar(c, c.load_broadcast(bias, at)) : y;
      },
      "scale");
}

// --- MatMulIntegerToFloat: a, b, a_scale, b_scale, a_zero, b_zero, bias

void infer_matmul_to_float(InferContext& c) {
  require_dtype(c, 0, kBytes);
  require_dtype(c, 1, kBytes);
  check_zero_point(c, 4, 0, true);
  check_zero_point(c, 5, 1, false);
  check_scale(c, 2, 0, true);
  check_scale(c, 3, 1, false);
  const Shape to = matmul_shapes(c, c.shape(0), c.shape(1)).result;
  check_bias(c, 6, to);
  c.set_output(0, DType::f32, to);
}

void lower_matmul_to_float(LowerContext& c) {
  const MatMulShapes s = matmul_shapes(c, c.shape(0), c.shape(1));
  const auto product = emit_integer_product(c, s, left_bytes(c, s, 0, 4), right_bytes(c, s, 1, 5));
  emit_scaled(
      c, s, product, [&](const At& at) { return row_parameter(c, 2, s, at); }, 3, 6);
}

// --- DynamicQuantizeMatMul: a (float32, quantized in the run), b, b_scale, b_zero, bias

void infer_dynamic_matmul(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32));
  require_dtype(c, 1, kBytes);
  check_zero_point(c, 3, 1, false);
  check_scale(c, 2, 1, false);
  const Shape to = matmul_shapes(c, c.shape(0), c.shape(1)).result;
  check_bias(c, 4, to);
  c.set_output(0, DType::f32, to);
}

void lower_dynamic_matmul(LowerContext& c) {
  const MatMulShapes s = matmul_shapes(c, c.shape(0), c.shape(1));
  const ir::BufferId a = c.temporary(DType::u8, c.shape(0)), scale = c.temporary(DType::f32, {}),
                     zero = c.temporary(DType::u8, {});
  emit_dynamic_quantization(c, 0, a, scale, zero);
  const auto zero_at = [&](const At&) { return load(c, zero, {}).cast(DType::i32); };
  const auto product = emit_integer_product(c, s, {a, std::nullopt, zero_at}, right_bytes(c, s, 1, 3));
  emit_scaled(
      c, s, product, [&](const At&) { return load(c, scale, {}); }, 2, 4);
}

// --- QGemm: a, a_scale, a_zero, b, b_scale, b_zero, c (int32, in units of alpha x a_scale x b_scale), y_scale, y_zero.
// Without y_scale the result is float32.

enum { kA, kAScale, kAZero, kB, kBScale, kBZero, kC, kYScale, kYZero };

MatMulShapes gemm_shapes(InferContext& c) {
  require_rank(c, kA, 2, 2);
  require_rank(c, kB, 2, 2);
  Shape a = c.shape(kA), b = c.shape(kB);
  if (c.integer("transA", 0) != 0) std::swap(a[0], a[1]);
  if (c.integer("transB", 0) != 0) std::swap(b[0], b[1]);
  return matmul_shapes(c, a, b);
}

void infer_qgemm(InferContext& c) {
  require_dtype(c, kA, kBytes);
  require_dtype(c, kB, kBytes);
  c.number("alpha", 1);
  const MatMulShapes s = gemm_shapes(c);
  for (int i : {int(kAScale), int(kBScale), int(kYScale)})
    if (c.has_input(i)) require_dtype(c, i, bit(DType::f32));
  for (int i : {int(kAScale), int(kAZero), int(kYScale), int(kYZero)})
    if (c.has_input(i) && !is_single(c.shape(i))) c.fail(fmt::format("input {} is not a single value", i));
  for (int i : {int(kBScale), int(kBZero)})
    if (c.has_input(i) && !is_single(c.shape(i))) {
      require_rank(c, i, 1, 1);
      require_equal(c, c.shape(i)[0], s.result[1], "parameters of b and its columns");
    }
  require_same_dtype(c, kA, kAZero);
  require_same_dtype(c, kB, kBZero);
  if (c.has_input(kC)) {
    require_dtype(c, kC, bit(DType::i32));
    require_broadcasts_to(c, kC, s.result);
  }
  if (c.has_input(kYZero)) require_dtype(c, kYZero, kBytes);
  if (c.has_input(kYScale) != c.has_input(kYZero)) c.fail("y_scale and y_zero_point must be given together");
  c.set_output(0, c.has_input(kYScale) ? c.dtype(kYZero) : DType::f32, s.result);
}

ir::BufferId emit_transposed(LowerContext& c, ir::BufferId x) {
  const ir::Buffer& b = c.program().buffer(x);
  const ir::BufferId out = c.temporary(b.type, {b.shape[1], b.shape[0]});
  c.emit_pointwise(
      out,
      [&](const At& at) {
        return load(c, x, {at[1], at[0]});
      },
      "transpose");
  return out;
}

// Constants are transposed now.
void transpose(LowerContext& c, SignedOperand& o) {
  if (!o.constant) {
    o.buffer = emit_transposed(c, o.buffer);
    return;
  }
  const Tensor& t = *o.constant;
  const size_t rows = size_t(t.dims[0]), columns = size_t(t.dims[1]);
  std::vector<std::byte> bytes(t.data.size);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) bytes[j * rows + i] = t.as<std::byte>()[i * columns + j];
  o.constant = make_tensor(t.dtype, {t.dims[1], t.dims[0]}, std::move(bytes));
  o.buffer = c.constant_buffer(*o.constant);
}

void lower_qgemm(LowerContext& c) {
  const MatMulShapes s = gemm_shapes(c);
  LeftBytes left = left_bytes(c, s, kA, kAZero);
  RightBytes right = right_bytes(c, s, kB, kBZero);
  if (c.integer("transA", 0) != 0) left.buffer = emit_transposed(c, left.buffer);
  if (c.integer("transB", 0) != 0) transpose(c, right.operand);
  const auto product = emit_integer_product(c, s, left, right);
  const double alpha = c.number("alpha", 1);
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar sum = product(at);
        if (c.has_input(kC)) sum = sum + scalar(c, c.load_broadcast(kC, at));
        const Scalar scale = load_parameter(c, kAScale, 0) * column_parameter(c, kBScale, s, at) * alpha;
        const Scalar y = sum.cast(DType::f32) * scale;
        if (!c.has_input(kYScale)) return y;
        const Scalar zero = load_parameter(c, kYZero, 0).cast(DType::f32);
        return quantized(y / load_parameter(c, kYScale, 0), zero, c.dtype(kYZero));
      },
      "scale");
}

}  // namespace

std::vector<Op> fused_integer_product_ops() {
  return {
      {.name = "MatMulIntegerToFloat",
       .domain = kMicrosoftDomain,
       .versions = {1},
       .inputs = {4, 7},
       .infer = infer_matmul_to_float,
       .lower = lower_matmul_to_float},
      {.name = "DynamicQuantizeMatMul",
       .domain = kMicrosoftDomain,
       .versions = {1},
       .inputs = {3, 5},
       .infer = infer_dynamic_matmul,
       .lower = lower_dynamic_matmul},
      {.name = "QGemm",
       .domain = kMicrosoftDomain,
       .versions = {{1, "alpha:float transA:int transB:int"}},
       .inputs = {6, 9},
       .infer = infer_qgemm,
       .lower = lower_qgemm},
  };
}

}  // namespace cppgen::ops
