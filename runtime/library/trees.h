#pragma once
#include <memory>

#include "runtime/library/library.h"

namespace cppgen::rt {

// The scores of an ensemble of decision trees for rows of features. Nodes are numbered so that children come after
// their parents; a leaf is its own child.
//   inputs:  x [rows, features] float32 or float64; then constants: thresholds [nodes] of x's type, links [nodes, 4]
//            int32 (a node's feature, its child if x > threshold, its child if x <= threshold, and which of these NaN
//            takes: 0 or 1), roots [trees] int32, votes [nodes + 1] int32 (where a leaf's votes begin), the votes'
//            targets int32 and weights of x's type
//   outputs: scores [rows, targets] of x's type: over all trees, in their order, the sum, least or greatest of the
//            weights that the leaves give to a target; 0 where there is none
// UserError unless the constants are such an ensemble.
enum TreesParam { kTreesDType, kTreesRows, kTreesFeatures, kTreesTargets, kTreesCombine, kTreesParams };
enum class TreesCombine : int64_t { sum, min, max };

std::unique_ptr<LibraryOperator> create_trees(const LibraryCall&);

}  // namespace cppgen::rt
