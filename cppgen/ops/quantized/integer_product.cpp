#include "cppgen/ops/quantized/integer_product.h"

#include "cppgen/ops/quantized/quantize.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

// Index of an operand's batch dimensions for an index of the result.
At batch_index(const Shape& operand, const MatMulShapes& s, const At& at) {
  size_t own = operand.size() > 2 ? operand.size() - 2 : 0;
  At out;
  for (size_t d = 0; d < own; ++d) out.push_back(broadcast_index(at[s.batch.size() - own + d], operand[d]));
  return out;
}

IndexExpr row_index_of(const MatMulShapes& s, const At& at) {
  return s.a.size() > 1 ? at[s.batch.size()] : IndexExpr();
}
IndexExpr column_of(const MatMulShapes& s, const At& at) { return s.b.size() > 1 ? at.back() : IndexExpr(); }

Scalar parameter_at(LowerContext& c, int input, const MatMulShapes& s, const At& at, bool rows) {
  const Shape& z = c.shape(input);
  IndexExpr own = rows ? row_index_of(s, at) : column_of(s, at);
  if (z.size() <= 1) return load_parameter(c, input, own);
  At index = batch_index(z, s, at);
  index.insert(index.end(), {rows ? own : IndexExpr(), rows ? IndexExpr() : own});
  return load_input(c, input, index);
}

// sum a of each row, for a with at least 2 dimensions or a vector.
ir::BufferId emit_row_sums(LowerContext& c, const MatMulShapes& s, ir::BufferId a) {
  Shape kept = s.a;
  IndexExpr K = kept.back();
  kept.pop_back();
  ir::BufferId out = c.temporary(DType::i32, kept);
  emit_reduction(c, {"row_sums",
                     out,
                     {K},
                     ReduceOp::sum,
                     [&](At at, const At& k) {
                       at.push_back(k[0]);
                       return load(c, a, at).cast(DType::i32);
                     },
                     nullptr});
  return out;
}

size_t k_axis_of_right(const Shape& b) { return b.size() == 1 ? 0 : b.size() - 2; }

// sum b of each column.
ir::BufferId emit_column_sums(LowerContext& c, const MatMulShapes& s, ir::BufferId b) {
  Shape kept = s.b;
  size_t k_axis = k_axis_of_right(s.b);
  kept.erase(kept.begin() + long(k_axis));
  ir::BufferId out = c.temporary(DType::i32, kept);
  emit_reduction(c, {"column_sums",
                     out,
                     {s.k},
                     ReduceOp::sum,
                     [&](At at, const At& k) {
                       at.insert(at.begin() + long(k_axis), k[0]);
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

// The correction that is subtracted from the product of the bytes, as a value at an index of the result.
class ZeroPointTerms {
 public:
  ZeroPointTerms(LowerContext& c, const MatMulShapes& s, const LeftBytes& left, const RightBytes& right)
      : c_(c), s_(s), left_(left), right_(right) {
    const SignedOperand& b = right.operand;
    if (b.zero != 0) row_sums_ = emit_row_sums(c, s, left.buffer);
    if (left.zero == 0) return;
    known_ = b.zero && b.constant;
    folded_ = known_ && left.zero;
    columns_ = known_ ? constant_column_terms(c, b, left.zero.value_or(1)) : emit_column_sums(c, s, b.buffer);
  }

  Scalar subtract(Scalar sum, const At& at) const {
    if (right_.operand.zero != 0) {
      At row = batch_index(s_.a, s_, at);
      if (s_.a.size() > 1) row.push_back(row_index_of(s_, at));
      sum = sum - right_zero(at) * load(c_, row_sums_, row);
    }
    if (left_.zero == 0) return sum;
    At column = batch_index(s_.b, s_, at);
    if (s_.b.size() > 1) column.push_back(column_of(s_, at));
    Scalar term = load(c_, columns_, column);
    if (folded_) return sum - term;
    if (!known_ && right_.operand.zero != 0) term = term - index_value(c_, s_.k, DType::i32) * right_zero(at);
    return sum - left_.zero_at(at) * term;
  }

 private:
  LowerContext& c_;
  MatMulShapes s_;
  LeftBytes left_;
  RightBytes right_;
  ir::BufferId row_sums_ = -1, columns_ = -1;
  bool known_ = false;   // columns_ holds sum b - k zb
  bool folded_ = false;  // columns_ holds the whole terms

  Scalar right_zero(const At& at) const {
    if (right_.operand.zero) return number(c_, DType::i32, double(*right_.operand.zero));
    return right_.zero_at(at);
  }
};

}  // namespace

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

LeftBytes left_bytes(LowerContext& c, const MatMulShapes& s, int input, int zero_point) {
  const auto zero_at = [&c, s, zero_point](const At& at) {
    return row_parameter(c, zero_point, s, at).cast(DType::i32);
  };
  return {c.input_buffer(input), uniform_integer(c, zero_point), zero_at};
}

RightBytes right_bytes(LowerContext& c, const MatMulShapes& s, int input, int zero_point) {
  const SignedOperand operand = signed_operand(c, input, zero_point);
  const auto zero_at = [&c, s, zero_point, offset = operand.offset](const At& at) {
    return column_parameter(c, zero_point, s, at).cast(DType::i32) - double(offset);
  };
  return {operand, zero_at};
}

std::function<Scalar(const At&)> emit_integer_product(LowerContext& c, const MatMulShapes& s, const LeftBytes& left,
                                                      const RightBytes& right) {
  ir::BufferId raw = c.temporary(DType::i32, s.result);
  emit_matmul(c, s, left.buffer, right.operand.buffer, raw, DType::i32, "product");
  ZeroPointTerms terms(c, s, left, right);
  return [=, &c](const At& at) { return terms.subtract(load(c, raw, at), at); };
}

Scalar row_parameter(LowerContext& c, int input, const MatMulShapes& s, const At& at) {
  return parameter_at(c, input, s, at, true);
}
Scalar column_parameter(LowerContext& c, int input, const MatMulShapes& s, const At& at) {
  return parameter_at(c, input, s, at, false);
}

}  // namespace cppgen::ops
