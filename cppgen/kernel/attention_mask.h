#pragma once
#include <cmath>
#include <optional>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/kernel.h"

// Which keys an attention's scores hide whatever the products are.
namespace cppgen::kernel {

// Row r sees keys among the first `first` + `by_row` * r only, or none where that is not positive; the scores of the
// others are `fill`.
struct KeysSeen {
  ir::IndexExpr first;
  int64_t by_row;
  double fill = -INFINITY;
  // A power against a greater score than this is 0 for `fill`.
  float harmless_above() const;
};

// By a condition on indices, or by a constant mask, that selects a constant in the place of the score; nullopt if there
// is none that hides the last keys of some rows.
std::optional<KeysSeen> keys_seen(const ir::Program&, const schedule::Attention&);

}  // namespace cppgen::kernel
