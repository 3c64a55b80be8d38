#pragma once
#include <functional>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// The positions in [0, extent) where a mask is true, ascending.
struct TruePositions {
  ir::BufferId positions;  // [count] int64
  Scalar total;            // how many there really are: to be compared with count
};
TruePositions emit_true_positions(LowerContext&, IndexExpr extent, IndexExpr count,
                                  const std::function<Scalar(IndexExpr)>& mask);

inline constexpr int64_t kMaxSearched = int64_t(1) << 16;
// Such searches are quadratic: fails for more elements than that, or if their number is not constant.
void require_searchable(InferContext&, IndexExpr count);

}  // namespace cppgen::ops
