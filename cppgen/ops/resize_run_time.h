#pragma once
#include <vector>

#include "cppgen/ops/common.h"
#include "cppgen/ops/resize_table.h"

namespace cppgen::ops {

// A Resize whose scales, regions or extents only a run knows: positions and weights are computed in the kernel.
struct RunTimeResize {
  ResizeMode mode;
  std::vector<int> axes;       // that scales, sizes and regions are given for, in their order
  int scales_input = -1;       // -1: scales are constant, or sizes are given
  std::vector<double> scales;  // constant ones
  double extrapolation = 0;
  std::vector<Scalar> conditions;  // further ones to check
};

// The output's shape follows from the input's where sizes or constant scales are known, is the declared one
// (declared.h), or is left to `resolve_resize`.
void infer_run_time_resize(InferContext&, const RunTimeResize&);
void lower_run_time_resize(LowerContext&, const RunTimeResize&);
void resolve_run_time_resize(LowerContext&, const RunTimeResize&, ir::BufferId dims);

// floor(extent * scale) for a scale that is a float32.
IndexExpr scaled_extent(IndexExpr extent, double scale);
// Each element is repeated: position o of the result is o / (out / in) of the input.
bool is_repetition(const ResizeAxis&, const ResizeTable&);

}  // namespace cppgen::ops
