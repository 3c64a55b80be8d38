#pragma once
#include "cppgen/ops/common.h"
#include "cppgen/ops/images/resize_table.h"

namespace cppgen::ops {

// The parameters of a Resize or Upsample whose attributes and inputs are constant.
struct ResizePlan {
  Shape output;
  std::vector<ResizeAxis> axes;  // axes that change
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
