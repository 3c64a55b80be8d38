#pragma once
#include "cppgen/ops/common.h"
#include "cppgen/ops/images/resize_table.h"

namespace cppgen::ops {

// What the attributes and inputs of a Resize or Upsample come to where they are constant.
struct ResizePlan {
  Shape output;
  std::vector<ResizeAxis> axes;  // those that change
  ResizeMode mode;
  double extrapolation = 0;
};
ResizePlan resize_plan(InferContext&);

ResizeMode resize_mode(InferContext&);
ResizePolicy resize_policy(InferContext&);
// Scales of all dimensions from the attribute or input that this version has; empty if there are none.
std::vector<double> given_scales(InferContext&);
std::vector<int> resized_axes(InferContext&, size_t rank);

}  // namespace cppgen::ops
