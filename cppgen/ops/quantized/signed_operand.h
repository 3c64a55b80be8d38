#pragma once
#include <optional>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// The right operand of an integer contraction as signed bytes, which is what the instructions for bytes want beside
// unsigned ones: unsigned bytes are stored 128 less, and so are their zero points.
struct SignedOperand {
  ir::BufferId buffer = -1;
  int64_t offset = 0;              // how much less is stored: 0 or 128
  std::optional<Tensor> constant;  // what is stored, if known
  std::optional<int64_t> zero;     // the one zero point of what is stored, if known
};
SignedOperand signed_operand(LowerContext&, int input, int zero_point);

// The one value of a constant integer input; 0 if the input is absent, nullopt if it is not constant or has several.
std::optional<int64_t> uniform_integer(const InferContext&, int input);

Tensor int32_tensor(std::vector<int64_t> dims, const std::vector<int64_t>& values);  // values wrap
int64_t product_of(const std::vector<int64_t>& dims);

}  // namespace cppgen::ops
