#pragma once
#include <optional>

#include "cppgen/ir/interpreter/interpreter.h"
#include "tests/differential/case_text.h"

namespace cppgen::differential {

enum class Numbers { ordinary, special, special_factors };

// Elements of a type, the same for the same seed: of the range, or any. Special ones are NaN, infinities, signed zeros,
// subnormals and extremes, in one of three places. Special factors are those of them with which a sum of products
// overflows nowhere on the way: whether a product overflows by itself depends on its being fused with the addition,
// and whether a partial sum does, on the order.
Tensor make_numbers(DType, const std::vector<int64_t>& dims, std::optional<Range>, Numbers, uint64_t seed);
// A tensor of these values, which integers wrap to.
Tensor tensor_of_values(DType, const std::vector<int64_t>& dims, const std::vector<double>& values);

}  // namespace cppgen::differential
