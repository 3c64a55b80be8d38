#pragma once
#include <cmath>
#include <optional>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/kernel.h"

// The keys that an attention's scores mask, whatever the products are.
namespace cppgen::kernel {

// Row r sees only the first `first` + `by_row` * r keys, or none if that is not positive; the scores of the others are
// `fill`.
struct KeysSeen {
  ir::IndexExpr first;
  int64_t by_row;
  double fill = -INFINITY;
  // If the greatest score exceeds this, the exponential for `fill` is 0.
  float harmless_above() const;
};

// Finds a condition on indices, or a constant mask, that replaces the score by a constant; nullopt if there is none
// that hides the last keys of some rows.
std::optional<KeysSeen> keys_seen(const ir::Program&, const schedule::Attention&);

}  // namespace cppgen::kernel
