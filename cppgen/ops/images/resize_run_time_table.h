#pragma once
#include "cppgen/ops/images/resize_run_time.h"

namespace cppgen::ops {

// One resampled axis; numbers of the run are float64. If sizes are given, the scale is up / down.
struct RunTimeAxis {
  int axis;
  IndexExpr in_extent, out_extent;
  Scalar in, out, scale, up, down, roi_start, roi_end;
  bool stretched;  // sizes determine the scale, which is 1 for an axis that keeps its extent

  // 0 if the run leaves the axis unchanged, else 1.
  IndexExpr changes() const {
    if (!stretched) return 1;
    const IndexExpr difference = ir::max(in_extent - out_extent, out_extent - in_extent);
    return ir::max(ir::min(difference, 1), 0);
  }
};

inline bool crops(const RunTimeResize& r) { return r.mode.coordinates == Coordinates::tf_crop_and_resize; }
IndexExpr tap_count(const RunTimeAxis&, const ResizeMode&);

// Holds, for each tap and position of the result along an axis, the position that it reads and its weight; and whether
// the position is outside the input.
struct RunTimeTable {
  ir::BufferId positions, weights, outside;
};
// Emits the nests that compute it; weights are of this type.
RunTimeTable emit_table(LowerContext&, const RunTimeAxis&, const RunTimeResize&, DType);

}  // namespace cppgen::ops
