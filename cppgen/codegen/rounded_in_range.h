#pragma once
#include <optional>

#include "cppgen/ir/values/expr.h"

namespace cppgen::codegen {

// An integer that is `offset` more than the one nearest to the float32 x, even ones first, within [least, most]; NaN
// gives least.
struct RoundedInRange {
  ir::Expr x;
  int64_t least = 0, most = 0, offset = 0;
};

// Recognises the quantization to an unsigned type, optionally cast to int32 and added to constants, which takes few
// instructions. Returns nullopt for any other value.
std::optional<RoundedInRange> rounded_in_range(ir::Expr);

}  // namespace cppgen::codegen
