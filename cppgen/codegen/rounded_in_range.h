#pragma once
#include <optional>

#include "cppgen/ir/expr.h"

namespace cppgen::codegen {

// An integer that is `offset` more than the one nearest to the float32 x, even ones first, within [least, most]; NaN
// gives least.
struct RoundedInRange {
  ir::Expr x;
  int64_t least = 0, most = 0, offset = 0;
};

// What quantizing to an unsigned type computes, also behind a cast to int32 and sums with constants: for these there
// are few instructions. Nothing if the value has another form.
std::optional<RoundedInRange> rounded_in_range(ir::Expr);

}  // namespace cppgen::codegen
