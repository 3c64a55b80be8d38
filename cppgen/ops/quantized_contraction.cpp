#include "cppgen/ops/families.h"
#include "cppgen/ops/matmul.h"
#include "cppgen/ops/quantize.h"
#include "cppgen/ops/signed_operand.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;
using ir::ReduceOp;

constexpr DTypes kBytes = bit(DType::i8) | bit(DType::u8);

// With zero points za and zb,
//   sum (a - za)(b - zb) = sum a b - zb sum a - za (sum b - k zb),
// so that the product runs over bytes, and the last factor is a constant if b is. b is read as signed bytes.

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

// sum a of each row, for a with at least 2 dimensions or a vector.
ir::BufferId emit_row_sums(LowerContext& c, int a) {
  Shape kept = c.shape(a);
  IndexExpr depth = kept.back();
  kept.pop_back();
  ir::BufferId out = c.temporary(DType::i32, kept);
  emit_reduction(c, {"row_sums",
                     out,
                     {depth},
                     ReduceOp::sum,
                     [&](At at, const At& k) {
                       at.push_back(k[0]);
                       return load_input(c, a, at).cast(DType::i32);
                     },
                     nullptr});
  return out;
}

size_t depth_of_right(const Shape& b) { return b.size() == 1 ? 0 : b.size() - 2; }

// sum b of each column.
ir::BufferId emit_column_sums(LowerContext& c, const MatMulShapes& s, ir::BufferId b) {
  Shape kept = s.b;
  size_t depth = depth_of_right(s.b);
  kept.erase(kept.begin() + long(depth));
  ir::BufferId out = c.temporary(DType::i32, kept);
  emit_reduction(c, {"column_sums",
                     out,
                     {s.depth},
                     ReduceOp::sum,
                     [&](At at, const At& k) {
                       at.insert(at.begin() + long(depth), k[0]);
                       return load(c, b, at).cast(DType::i32);
                     },
                     nullptr});
  return out;
}

// factor (sum b - k zb) of each column, for a constant b with one zero point.
ir::BufferId constant_column_terms(LowerContext& c, const SignedOperand& b, int64_t factor) {
  std::vector<int64_t> dims = b.constant->dims, values = integers_of(*b.constant);
  int64_t k = dims[dims.size() == 1 ? 0 : dims.size() - 2], columns = dims.size() == 1 ? 1 : dims.back();
  int64_t batches = k * columns > 0 ? int64_t(values.size()) / (k * columns) : 0;
  dims.erase(dims.end() - (dims.size() == 1 ? 1 : 2));
  std::vector<int64_t> terms(size_t(product_of(dims)), 0);
  for (int64_t i = 0; i < batches * k; ++i)
    for (int64_t j = 0; j < columns; ++j)
      terms[size_t(i / k * columns + j)] += factor * (values[size_t(i * columns + j)] - *b.zero);
  return c.constant_buffer(int32_tensor(dims, terms));
}

// What is taken away from the product of the bytes, as a value at an index of the result.
class ZeroPointTerms {
 public:
  ZeroPointTerms(LowerContext& c, const MatMulShapes& s, int a, const SignedOperand& right, ZeroPoints zero)
      : c_(c), s_(s), right_(right), zero_(zero), left_zero_(uniform_integer(c, zero.a)) {
    if (right.zero != 0) row_sums_ = emit_row_sums(c, a);
    if (left_zero_ == 0) return;
    folded_ = left_zero_ && right.zero && right.constant;
    columns_ = folded_ ? constant_column_terms(c, right, *left_zero_) : emit_column_sums(c, s, right.buffer);
  }

  Scalar subtract(Scalar sum, const At& at) const {
    if (right_.zero != 0) {
      At row = batch_index(s_.a, s_, at);
      if (s_.a.size() > 1) row.push_back(row_of(s_, at));
      sum = sum - right_zero(at) * load(c_, row_sums_, row);
    }
    if (left_zero_ == 0) return sum;
    At column = batch_index(s_.b, s_, at);
    if (s_.b.size() > 1) column.push_back(column_of(s_, at));
    Scalar term = load(c_, columns_, column);
    if (folded_) return sum - term;
    if (right_.zero != 0) term = term - index_value(c_, s_.depth, DType::i32) * right_zero(at);
    return sum - zero_point_at(c_, zero_.a, s_, at, true) * term;
  }

 private:
  LowerContext& c_;
  MatMulShapes s_;
  SignedOperand right_;
  ZeroPoints zero_;
  std::optional<int64_t> left_zero_;
  ir::BufferId row_sums_ = -1, columns_ = -1;
  bool folded_ = false;  // columns_ holds the whole terms

  Scalar right_zero(const At& at) const {
    if (right_.zero) return number(c_, DType::i32, double(*right_.zero));
    return zero_point_at(c_, zero_.b, s_, at, false) - double(right_.offset);
  }
};

// The exact integer product, as a value at an index of the result.
std::function<Scalar(const At&)> emit_integer_matmul(LowerContext& c, int a, int b, ZeroPoints zero) {
  MatMulShapes s = matmul_shapes(c, c.shape(a), c.shape(b));
  SignedOperand right = signed_operand(c, b, zero.b);
  ir::BufferId raw = c.temporary(DType::i32, s.result);
  emit_matmul(c, s, c.input_buffer(a), right.buffer, raw, DType::i32, "product");
  ZeroPointTerms terms(c, s, a, right, zero);
  return [=, &c](const At& at) { return terms.subtract(load(c, raw, at), at); };
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
        return quantized(product(at).cast(DType::f32) * scale, zero, c.dtype(7));
      },
      "requantize");
}

}  // namespace

void add_quantized_contraction_ops(std::vector<Op>& t) {
  add_versions(t, "MatMulInteger", {10}, {2, 4, 1}, infer_matmul_integer, lower_matmul_integer);
  add_versions(t, "QLinearMatMul", {10, 21}, {8, 8, 1}, infer_qlinear_matmul, lower_qlinear_matmul);
}

}  // namespace cppgen::ops
