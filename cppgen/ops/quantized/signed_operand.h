#pragma once
#include <optional>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// The right operand of an integer contraction as signed bytes, which the instructions for bytes require in combination
// with unsigned left operands: 128 is subtracted from unsigned bytes and from their zero points.
struct SignedOperand {
  ir::BufferId buffer = -1;
  int64_t offset = 0;              // the subtracted offset: 0 or 128
  std::optional<Tensor> constant;  // the stored bytes, if known
  std::optional<int64_t> zero;     // the single zero point of the stored bytes, if known
};
SignedOperand signed_operand(LowerContext&, int input, int zero_point);

// The one value of a constant integer input; 0 if the input is absent, nullopt if it is not constant or has several.
std::optional<int64_t> uniform_integer(const InferContext&, int input);

Tensor int32_tensor(std::vector<int64_t> dims, const std::vector<int64_t>& values);  // values wrap
int64_t product_of(const std::vector<int64_t>& dims);

}  // namespace cppgen::ops
