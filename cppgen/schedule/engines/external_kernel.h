#pragma once
#include <optional>
#include <vector>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// These functions serve the engines whose products run in external kernels, those of oneDNN and libxsmm, which write
// their sums into a buffer of their own.

// Changes the prepared nest so that it only stores its sums, densely over the loops `order`, into the buffer that is
// returned. Its original stores become the epilogue.
BufferId split_epilogue(Program&, Layouts&, const std::vector<ir::Loop>& order, Prepared&);

// The stride of several loops taken as one, the last being the fastest; nullopt if their points are not evenly spaced.
std::optional<IndexExpr> joint_stride(IndexExpr offset, const std::vector<ir::Loop>& loops);

// The offset at the first point of all loops.
IndexExpr start_of(IndexExpr offset);

}  // namespace cppgen::schedule
