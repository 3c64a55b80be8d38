#pragma once
#include <vector>

#include "cppgen/ops/common.h"
#include "cppgen/ops/resize_table.h"

namespace cppgen::ops {

// A Resize whose scales or regions only a run knows: positions and weights are computed in the kernel. The output's
// shape is the declared one (declared.h).
struct RunTimeResize {
  ResizeMode mode;
  std::vector<int> axes;  // that scales, sizes and regions are given for, in their order
  int scales_input = -1;  // -1: sizes are given
  double extrapolation = 0;
  std::vector<Scalar> conditions;  // further ones to check
};

void infer_run_time_resize(InferContext&, const RunTimeResize&);
void lower_run_time_resize(LowerContext&, const RunTimeResize&);

}  // namespace cppgen::ops
