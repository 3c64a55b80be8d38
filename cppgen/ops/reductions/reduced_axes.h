#pragma once
#include "cppgen/ops/axis_split.h"

namespace cppgen::ops {

// The axes of ReduceSum and its like: an attribute, an input, or values of the run.
bool keeps_dims(InferContext&);
Shape reduced_shape(InferContext&);
// Calls `lower` for the axes and what to store into. Where only a run knows the axes and the shape is declared, for
// each choice with a result of its own, of which the run takes the one that its axes name.
void for_reduced_axes(LowerContext&, const std::function<void(const AxisSplit&, ir::BufferId to)>& lower);
void resolve_reduced_axes(LowerContext&, ir::BufferId dims);

}  // namespace cppgen::ops
