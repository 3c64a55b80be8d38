#pragma once
#include <optional>
#include <vector>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// These functions serve the engines whose products run in external kernels, those of oneDNN and libxsmm, which write
// their sums into a buffer of their own.

// The prepared nest keeps its sums only, and stores them into the buffer that is returned, dense over `order`, the
// loops of the nest. What it stored until now becomes the epilogue.
BufferId split_epilogue(Program&, Layouts&, const std::vector<ir::Loop>& order, Prepared&);

// The stride of several loops taken as one, with the last the fastest. It is nullopt if their points are not evenly
// spaced.
std::optional<IndexExpr> joint_stride(IndexExpr offset, const std::vector<ir::Loop>& loops);

// The offset at the first point of all loops.
IndexExpr start_of(IndexExpr offset);

}  // namespace cppgen::schedule
