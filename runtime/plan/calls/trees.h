#pragma once

#include "runtime/plan/call_fields.h"

namespace cppgen::rt {

// The scores of an ensemble of decision trees for rows of features. Nodes are numbered so that children follow their
// parents; a leaf is its own child.
//   inputs:  x [rows, features] float32 or float64; then constants: thresholds [nodes] of x's type, links [nodes, 4]
//            int32 (a node's feature, its child if x > threshold, its child if x <= threshold, and which of these NaN
//            takes: 0 or 1), roots [trees] int32, votes [nodes + 1] int32 (where a leaf's votes start), the votes'
//            targets int32 and weights of x's type
//   outputs: scores [rows, targets] of x's type: over all trees, in their order, the sum, least or greatest of the
//            weights that the leaves give to a target; 0 where there is none
// UserError if the constants are not such an ensemble.
inline constexpr const char* kTrees = "trees";

enum class TreesCombine : int64_t { sum, min, max };

template <class Int>
struct TreesCall {
  DType type = DType::f32;
  Int rows = 0, features = 0, targets = 0;
  TreesCombine combine = TreesCombine::sum;

  template <class V>
  void fields(V& v) {
    v.value("type", type), v.size("rows", rows), v.size("features", features), v.size("targets", targets);
    v.choice("combination", combine, TreesCombine::max);
  }
};

}  // namespace cppgen::rt
