#pragma once
#include <functional>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// The positions in [0, extent) where a mask is true, ascending.
struct TruePositions {
  ir::BufferId positions;  // [count] int64
  Scalar total;            // the actual number, to be compared with count
};
TruePositions emit_true_positions(LowerContext&, IndexExpr extent, IndexExpr count,
                                  const std::function<Scalar(IndexExpr)>& mask);

// Such searches are quadratic, so they are used only for a small, constant number of elements.
bool is_searchable(IndexExpr count);

inline Scalar one_if(LowerContext& c, Scalar condition) {
  return select(condition, number(c, DType::i64, 1), number(c, DType::i64, 0));
}

}  // namespace cppgen::ops
