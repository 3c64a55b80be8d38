#pragma once
#include <cmath>
#include <cstdint>

#include "cppgen/ir/index/index_expr.h"

namespace cppgen::forms {

// The keys of an attention that are not masked. Row r sees only the first `first` + `by_row` * r keys, or none if that
// is not positive; the scores of the others are `fill`.
struct KeysSeen {
  ir::IndexExpr first;
  int64_t by_row;
  double fill = -INFINITY;
  // If the greatest score exceeds this, the exponential for `fill` is 0.
  float harmless_above() const;
};

}  // namespace cppgen::forms
