#pragma once
#include <string>
#include <vector>

#include "cppgen/ops/common.h"
#include "cppgen/ops/images/resize_table.h"

namespace cppgen::ops {

// A Resize whose scales, sizes or regions are known only at run time, or whose dimensions are not constant: positions
// and weights are computed in kernels.
struct RunTimeResize {
  ResizeMode mode;
  std::vector<int> axes;       // axes for which scales, sizes and regions are given, in order
  int scales_input = -1;       // -1: scales are known, or sizes are given
  std::vector<double> scales;  // if they are known
  ResizePolicy policy = ResizePolicy::stretch;
  double extrapolation = 0;
  std::vector<Scalar> conditions;  // further axes to check

  bool has_sizes() const { return scales_input < 0 && scales.empty(); }
};

// floor(in * scale), exactly.
IndexExpr scaled_extent(InferContext&, IndexExpr in, double scale);

void infer_run_time_resize(InferContext&, const RunTimeResize&);
void resolve_run_time_resize(LowerContext&, const RunTimeResize&, ir::BufferId dims);
void lower_run_time_resize(LowerContext&, const RunTimeResize&);

}  // namespace cppgen::ops
