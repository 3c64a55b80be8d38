// Products of a recurrent network whose weights are bytes.
#include <cstring>

#include "cppgen/ops/quantized/integer_product.h"
#include "cppgen/ops/quantized/quantize.h"
#include "cppgen/ops/recurrent/recurrent.h"

namespace cppgen::ops {
namespace {

int scale_input_of(int weights) { return weights == 1 ? 8 : 10; }
int zero_input_of(int weights) { return scale_input_of(weights) + 1; }

void check_parameter(InferContext& c, const RecurrentShape& s, int input) {
  require_rank(c, input, 1, 2);
  const Shape& p = c.shape(input);
  require_equal(c, p[0], s.directions, "the parameters of the weights and the directions");
  if (p.size() == 2)
    require_equal(c, p[1], s.hidden * IndexExpr(s.gates), "the parameters of the weights and their columns");
}

// A scale or zero point of a column of a direction.
Scalar parameter(LowerContext& c, int input, int direction, IndexExpr column) {
  const IndexExpr d = direction;
  return load_input(c, input, c.shape(input).size() == 1 ? At{d} : At{d, column});
}

// The part of a constant that belongs to a direction.
Tensor part_of_direction(const Tensor& t, int direction) {
  std::vector<int64_t> dims(t.dims.begin() + 1, t.dims.end());
  const auto size = size_t(product_of(dims)) * size_of(t.dtype);
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), t.as<std::byte>() + size_t(direction) * size, size);
  return make_tensor(t.dtype, std::move(dims), std::move(bytes));
}

std::optional<int64_t> one_zero(LowerContext& c, int input, int direction) {
  const Tensor* t = c.constant(input);
  if (!t) return std::nullopt;
  const std::vector<int64_t> zeros = integers_of(part_of_direction(*t, direction));
  const bool uniform = std::all_of(zeros.begin(), zeros.end(), [&](int64_t z) { return z == zeros[0]; });
  return uniform && !zeros.empty() ? std::optional(zeros[0]) : std::nullopt;
}

// The weights of a direction as signed bytes.
RightBytes weights_of_direction(LowerContext& c, int weights, int direction) {
  const int64_t offset = c.dtype(weights) == DType::u8 ? 128 : 0;
  const Shape& all = c.shape(weights);
  SignedOperand o{-1, offset, std::nullopt, one_zero(c, zero_input_of(weights), direction)};
  if (o.zero) *o.zero -= offset;
  if (const Tensor* t = c.constant(weights)) {
    Tensor own = part_of_direction(*t, direction);
    std::vector<std::byte> bytes(own.as<std::byte>(), own.as<std::byte>() + own.data.size);
    for (std::byte& b : bytes) b ^= std::byte(offset);
    o.constant = make_tensor(DType::i8, own.dims, std::move(bytes));
    o.buffer = c.constant_buffer(*o.constant);
  } else {
    o.buffer = c.temporary(DType::i8, {all[1], all[2]});
    c.emit_pointwise(
        o.buffer,
        [&](const At& at) {
          Scalar w = load_input(c, weights, {IndexExpr(direction), at[0], at[1]}).cast(DType::i32);
          return (w - double(offset)).cast(DType::i8);
        },
        "signed_bytes");
  }
  const auto zero_at = [&c, weights, direction, offset](const At& at) {
    return parameter(c, zero_input_of(weights), direction, at.back()).cast(DType::i32) - double(offset);
  };
  return {o, zero_at};
}

}  // namespace

void check_quantized_weights(InferContext& c, const RecurrentShape& s) {
  require_dtype(c, 0, bit(DType::f32));
  for (int weights : {1, 2}) {
    require_dtype(c, weights, bit(DType::i8) | bit(DType::u8));
    require_dtype(c, scale_input_of(weights), bit(DType::f32));
    require_same_dtype(c, weights, zero_input_of(weights));
    for (int input : {scale_input_of(weights), zero_input_of(weights)}) check_parameter(c, s, input);
  }
}

ir::BufferId emit_quantized_product(LowerContext& c, const RecurrentShape& s, int weights, int direction,
                                    const Shape& x, const std::function<Scalar(const At&)>& value) {
  const ir::BufferId bytes = c.temporary(DType::u8, x), scale = c.temporary(DType::f32, {}),
                     zero = c.temporary(DType::u8, {});
  emit_dynamic_quantization(c, value, x, bytes, scale, zero);
  const MatMulShapes shapes = matmul_shapes(c, x, {x.back(), s.hidden * IndexExpr(s.gates)});
  const auto zero_at = [&](const At&) { return load(c, zero, {}).cast(DType::i32); };
  const auto product =
      emit_integer_product(c, shapes, {bytes, std::nullopt, zero_at}, weights_of_direction(c, weights, direction));
  const ir::BufferId out = c.temporary(DType::f32, shapes.result);
  c.emit_pointwise(
      out,
      [&](const At& at) {
        return product(at).cast(DType::f32) *
               (load(c, scale, {}) * parameter(c, scale_input_of(weights), direction, at.back()));
      },
      "scale");
  return out;
}

}  // namespace cppgen::ops
