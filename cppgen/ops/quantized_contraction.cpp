#include "cppgen/ops/conv.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/matmul.h"
#include "cppgen/ops/quantize.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;
using ir::ReduceOp;

constexpr DTypes kBytes = bit(DType::i8) | bit(DType::u8);

// --- Matrices. With zero points za and zb,
//   sum (a - za)(b - zb) = sum a b - zb sum a - za sum b + k za zb,
// so that the product runs over the stored bytes.

struct ZeroPoints {
  int a, b;  // inputs
};

// A zero point is one value, one for each row of a (column of b), or has the operand's shape with an inner 1.
void check_zero_point(InferContext& c, int zero, int operand, bool rows) {
  if (!c.has_input(zero)) return;
  require_same_dtype(c, zero, operand);
  const Shape& z = c.shape(zero);
  const Shape& x = c.shape(operand);
  if (is_single(z)) return;
  if (z.size() == 1 && x.size() >= 2) {
    require_equal(c, z[0], rows ? x[x.size() - 2] : x.back(), "zero points and the dimension they belong to");
    return;
  }
  require_rank(c, zero, int(x.size()), int(x.size()));
  for (size_t d = 0; d < x.size(); ++d) {
    bool inner = rows ? d + 1 == x.size() : d + 2 == x.size();
    require_equal(c, z[d], inner ? IndexExpr(int64_t(1)) : x[d], "dimensions of the zero points");
  }
}

// Index of an operand's batch dimensions for an index of the result.
At batch_index(const Shape& operand, const MatMulShapes& s, const At& at) {
  size_t own = operand.size() > 2 ? operand.size() - 2 : 0;
  At out;
  for (size_t d = 0; d < own; ++d)
    out.push_back(operand[d].is_constant(1) ? IndexExpr() : at[s.batch.size() - own + d]);
  return out;
}

IndexExpr row_of(const MatMulShapes& s, const At& at) { return s.a.size() > 1 ? at[s.batch.size()] : IndexExpr(); }
IndexExpr column_of(const MatMulShapes& s, const At& at) { return s.b.size() > 1 ? at.back() : IndexExpr(); }

Scalar zero_point_at(LowerContext& c, int zero, const MatMulShapes& s, const At& at, bool rows) {
  const Shape& z = c.shape(zero);
  IndexExpr own = rows ? row_of(s, at) : column_of(s, at);
  if (z.size() <= 1) return load_parameter(c, zero, own).cast(DType::i32);
  At index = batch_index(z, s, at);
  index.insert(index.end(), {rows ? own : IndexExpr(), rows ? IndexExpr() : own});
  return load_input(c, zero, index).cast(DType::i32);
}

// Sums of a's rows or b's columns over the inner dimension, for an operand with at least 2 dimensions or a vector.
ir::BufferId emit_sums(LowerContext& c, int operand, bool rows) {
  const Shape& x = c.shape(operand);
  size_t depth = rows || x.size() == 1 ? x.size() - 1 : x.size() - 2;
  Shape kept = x;
  kept.erase(kept.begin() + depth);
  ir::BufferId out = c.temporary(DType::i32, kept);
  emit_reduction(c, {rows ? "row_sums" : "column_sums",
                     out,
                     {x[depth]},
                     ReduceOp::sum,
                     [&](At at, const At& k) {
                       at.insert(at.begin() + depth, k[0]);
                       return load_input(c, operand, at).cast(DType::i32);
                     },
                     nullptr});
  return out;
}

Scalar load_sum(LowerContext& c, ir::BufferId sums, const Shape& operand, const MatMulShapes& s, const At& at,
                bool rows) {
  At index = batch_index(operand, s, at);
  if (operand.size() > 1) index.push_back(rows ? row_of(s, at) : column_of(s, at));
  return load(c, sums, index);
}

// The exact integer product, as a value at an index of the result.
std::function<Scalar(const At&)> emit_integer_matmul(LowerContext& c, int a, int b, ZeroPoints zero) {
  MatMulShapes s = matmul_shapes(c, c.shape(a), c.shape(b));
  ir::BufferId raw = c.temporary(DType::i32, s.result);
  emit_matmul(c, s, c.input_buffer(a), c.input_buffer(b), raw, DType::i32, "product");
  bool has_a = c.has_input(zero.a), has_b = c.has_input(zero.b);
  ir::BufferId row_sums = has_b ? emit_sums(c, a, true) : -1, column_sums = has_a ? emit_sums(c, b, false) : -1;
  return [=, &c](const At& at) {
    Scalar sum = load(c, raw, at);
    if (has_b) sum = sum - zero_point_at(c, zero.b, s, at, false) * load_sum(c, row_sums, s.a, s, at, true);
    if (!has_a) return sum;
    Scalar za = zero_point_at(c, zero.a, s, at, true);
    sum = sum - za * load_sum(c, column_sums, s.b, s, at, false);
    if (!has_b) return sum;
    return sum + index_value(c, s.depth, DType::i32) * za * zero_point_at(c, zero.b, s, at, false);
  };
}

void infer_matmul_integer(InferContext& c) {
  require_dtype(c, 0, kBytes);
  require_dtype(c, 1, kBytes);
  check_zero_point(c, 2, 0, true);
  check_zero_point(c, 3, 1, false);
  c.set_output(0, DType::i32, matmul_shapes(c, c.shape(0), c.shape(1)).result);
}

void lower_matmul_integer(LowerContext& c) {
  auto product = emit_integer_matmul(c, 0, 1, {2, 3});
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
    if (!is_single(c.shape(i))) c.fail("scales and zero points of the result for each row are not supported");
  }
  for (int i : {1, 4}) {
    if (c.shape(i).size() != c.shape(i + 1).size()) c.fail("a scale and its zero point have different shapes");
    for (size_t d = 0; d < c.shape(i).size(); ++d)
      require_equal(c, c.shape(i)[d], c.shape(i + 1)[d], "a scale and its zero point");
  }
  c.set_output(0, c.dtype(7), matmul_shapes(c, c.shape(0), c.shape(3)).result);
}

Scalar scale_at(LowerContext& c, int scale, const MatMulShapes& s, const At& at, bool rows) {
  const Shape& z = c.shape(scale);
  IndexExpr own = rows ? row_of(s, at) : column_of(s, at);
  if (z.size() <= 1) return load_parameter(c, scale, own).cast(DType::f32);
  At index = batch_index(z, s, at);
  index.insert(index.end(), {rows ? own : IndexExpr(), rows ? IndexExpr() : own});
  return load_input(c, scale, index).cast(DType::f32);
}

void lower_qlinear_matmul(LowerContext& c) {
  MatMulShapes s = matmul_shapes(c, c.shape(0), c.shape(3));
  auto product = emit_integer_matmul(c, 0, 3, {2, 5});
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar scale =
            scale_at(c, 1, s, at, true) * scale_at(c, 4, s, at, false) / load_parameter(c, 6, 0).cast(DType::f32);
        Scalar zero = load_parameter(c, 7, 0).cast(DType::f32);
        return quantized(c, product(at).cast(DType::f32) * scale, zero, c.dtype(7));
      },
      "requantize");
}

// --- Convolutions subtract the zero points first, since padding stands for exact zeros.

bool is_zero(const InferContext& c, int input) {
  if (!c.has_input(input)) return true;
  const Tensor* t = c.constant(input);
  for (int64_t i = 0; t && i < t->elements(); ++i) {
    if (float_element(*t, i) != 0) return false;
  }
  return t != nullptr;
}

// The operand itself where nothing is to be subtracted; zero points of weights may differ by output channel.
ir::BufferId centred(LowerContext& c, int operand, int zero, const char* name) {
  if (is_zero(c, zero)) return c.input_buffer(operand);
  ir::BufferId out = c.temporary(DType::i32, c.shape(operand));
  c.emit_pointwise(
      out,
      [&](const At& at) {
        return load_input(c, operand, at).cast(DType::i32) - load_parameter(c, zero, at[0]).cast(DType::i32);
      },
      name);
  return out;
}

void check_conv(InferContext& c, int x, int x_zero, int w, int w_zero) {
  require_dtype(c, x, kBytes);
  require_dtype(c, w, kBytes);
  if (c.has_input(x_zero) && !is_single(c.shape(x_zero))) c.fail("the zero point of the input must be a scalar");
  if (c.has_input(w_zero) && !is_single(c.shape(w_zero))) {
    require_rank(c, w_zero, 1, 1);
    require_equal(c, c.shape(w_zero)[0], c.shape(w)[0], "zero points of the weights and output channels");
  }
}

void infer_conv_integer(InferContext& c) {
  check_conv(c, 0, 2, 1, 3);
  c.set_output(0, DType::i32, conv_shape(c, c.shape(0), c.shape(1)).output);
}

void lower_conv_integer(LowerContext& c) {
  ConvShape s = conv_shape(c, c.shape(0), c.shape(1));
  ir::BufferId x = centred(c, 0, 2, "centre_input"), w = centred(c, 1, 3, "centre_weights");
  emit_conv(c, s, x, w, c.output_buffer(0), DType::i32, "");
}

// QLinearConv: x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias
void infer_qlinear_conv(InferContext& c) {
  check_conv(c, 0, 2, 3, 5);
  require_dtype(c, 7, kBytes);
  for (int i : {1, 6, 7}) {
    if (!is_single(c.shape(i))) c.fail(fmt::format("input {} must be a scalar", i));
  }
  ConvShape s = conv_shape(c, c.shape(0), c.shape(3));
  if (!is_single(c.shape(4))) {
    require_rank(c, 4, 1, 1);
    require_equal(c, c.shape(4)[0], s.output[1], "scales of the weights and output channels");
  }
  if (c.has_input(8)) {
    require_dtype(c, 8, bit(DType::i32));
    require_rank(c, 8, 1, 1);
    require_equal(c, c.shape(8)[0], s.output[1], "biases and output channels");
  }
  c.set_output(0, c.dtype(7), s.output);
}

void lower_qlinear_conv(LowerContext& c) {
  ConvShape s = conv_shape(c, c.shape(0), c.shape(3));
  ir::BufferId x = centred(c, 0, 2, "centre_input"), w = centred(c, 3, 5, "centre_weights");
  ir::BufferId sum = c.temporary(DType::i32, s.output);
  emit_conv(c, s, x, w, sum, DType::i32, "product");
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar value = load(c, sum, at);
        if (c.has_input(8)) value = value + load_input(c, 8, {at[1]});
        Scalar scale = load_parameter(c, 1, 0).cast(DType::f32) * load_parameter(c, 4, at[1]).cast(DType::f32) /
                       load_parameter(c, 6, 0).cast(DType::f32);
        return quantized(c, value.cast(DType::f32) * scale, load_parameter(c, 7, 0).cast(DType::f32), c.dtype(7));
      },
      "requantize");
}

}  // namespace

void add_quantized_contraction_ops(std::vector<Op>& t) {
  add_versions(t, "MatMulInteger", {10}, {2, 4, 1}, infer_matmul_integer, lower_matmul_integer);
  add_versions(t, "QLinearMatMul", {10, 21}, {8, 8, 1}, infer_qlinear_matmul, lower_qlinear_matmul);
  add_versions(t, "ConvInteger", {10}, {2, 4, 1}, infer_conv_integer, lower_conv_integer);
  add_versions(t, "QLinearConv", {10}, {8, 9, 1}, infer_qlinear_conv, lower_qlinear_conv);
}

}  // namespace cppgen::ops
