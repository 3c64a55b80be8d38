#pragma once
#include "cppgen/ops/axis_split.h"

namespace cppgen::ops {

// The axes of reductions such as ReduceSum: an attribute, an input, or values that are known only at run time.
bool keeps_dims(InferContext&);
Shape reduced_shape(InferContext&);
// Calls `lower` with the axes and the buffer to store into. If the axes are known only at run time and the shape is
// declared, calls it for each possible choice of axes with a separate result, from which the run selects.
void for_reduced_axes(LowerContext&, const std::function<void(const AxisSplit&, ir::BufferId to)>& lower);
void resolve_reduced_axes(LowerContext&, ir::BufferId dims);

}  // namespace cppgen::ops
