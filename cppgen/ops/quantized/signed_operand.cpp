#include "cppgen/ops/quantized/signed_operand.h"

#include <algorithm>
#include <cstring>

namespace cppgen::ops {
namespace {

constexpr int kHalf = 128;

// The bytes 128 less, as signed ones.
Tensor less_half(const Tensor& t) {
  std::vector<std::byte> bytes(t.data.size);
  const auto* from = static_cast<const std::byte*>(t.data.bytes);
  std::transform(from, from + t.data.size, bytes.begin(), [](std::byte b) { return b ^ std::byte{kHalf}; });
  return make_tensor(DType::i8, t.dims, std::move(bytes));
}

ir::BufferId emit_less_half(LowerContext& c, int input) {
  ir::BufferId out = c.temporary(DType::i8, c.shape(input));
  c.emit_pointwise(
      out, [&](const auto& at) { return (load_input(c, input, at).cast(DType::i32) - kHalf).cast(DType::i8); },
      "signed_bytes");
  return out;
}

}  // namespace

SignedOperand signed_operand(LowerContext& c, int input, int zero_point) {
  SignedOperand o;
  const Tensor* constant = c.constant(input);
  o.zero = uniform_integer(c, zero_point);
  if (constant) o.constant = *constant;
  if (c.dtype(input) == DType::i8) {
    o.buffer = c.input_buffer(input);
    return o;
  }
  o.offset = kHalf;
  if (o.zero) o.zero = *o.zero - kHalf;
  if (constant) {
    o.constant = less_half(*constant);
    o.buffer = c.constant_buffer(*o.constant);
  } else {
    o.buffer = emit_less_half(c, input);
  }
  return o;
}

std::optional<int64_t> uniform_integer(const InferContext& c, int input) {
  if (!c.has_input(input)) return 0;
  const Tensor* t = c.constant(input);
  if (!t || t->elements() == 0) return std::nullopt;
  std::vector<int64_t> values = integers_of(*t);
  bool uniform = std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == values[0]; });
  return uniform ? std::optional(values[0]) : std::nullopt;
}

Tensor int32_tensor(std::vector<int64_t> dims, const std::vector<int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(int32_t));
  for (size_t i = 0; i < values.size(); ++i) {
    auto value = int32_t(uint32_t(uint64_t(values[i])));
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return make_tensor(DType::i32, std::move(dims), std::move(bytes));
}

int64_t product_of(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

}  // namespace cppgen::ops
