#include <algorithm>
#include <limits>

#include "cppgen/ops/common.h"
#include "cppgen/ops/families.h"

namespace cppgen::ops {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int32_t>::max();  // a bound from here on means "to the end"

struct SliceAxis {
  int axis;
  IndexExpr start;
  int64_t step;
  IndexExpr count;
};

std::vector<IndexExpr> bounds_argument(InferContext& c, const char* attribute, int input) {
  if (c.opset() < 10) {
    std::vector<int64_t> values = c.integers(attribute);
    return {values.begin(), values.end()};
  }
  require_dtype(c, input, bit(DType::i32) | bit(DType::i64));
  const std::vector<IndexExpr>* known = c.contents(input);
  if (!known) c.fail(fmt::format("input {} ({}) must be constant", input, attribute));
  return *known;
}

// A bound clamped into [lo, extent - 1 + hi]: for a rising slice lo = 0, hi = 1; for a falling one -1 and 0 (for the
// start: 0 and 0).
IndexExpr clamp_bound(InferContext& c, IndexExpr bound, IndexExpr extent, int64_t lo, int64_t hi) {
  if (bound.is_constant() && bound.constant() >= kHuge) return extent - IndexExpr(1 - hi);
  if (bound.is_constant() && bound.constant() <= -kHuge) return lo;
  ir::IndexRange range = bound.range();
  if (range.hi < 0) {
    bound = bound + extent;
  } else if (range.lo < 0) {
    c.fail(fmt::format("the sign of the bound {} is not known", ir::to_string(bound)));
  }
  return ir::max(ir::min(bound, extent - IndexExpr(1 - hi)), lo);
}

SliceAxis slice_axis(InferContext& c, int axis, IndexExpr start, IndexExpr end, int64_t step) {
  IndexExpr extent = c.shape(0)[axis];
  if (step > 0) {
    start = clamp_bound(c, start, extent, 0, 1);
    end = clamp_bound(c, end, extent, 0, 1);
    return {axis, start, step, ir::max(ceildiv(end - start, step), 0)};
  }
  start = clamp_bound(c, start, extent, -1, 0);
  end = clamp_bound(c, end, extent, -1, 0);
  return {axis, start, step, ir::max(ceildiv(start - end, -step), 0)};
}

std::vector<int64_t> slice_axes(InferContext& c, size_t count) {
  std::vector<int64_t> axes;
  for (size_t k = 0; k < count; ++k) axes.push_back(int64_t(k));
  if (c.opset() < 10) return c.integers("axes", axes);
  return c.has_input(3) ? c.constant_ints(3) : axes;
}

std::vector<SliceAxis> slice_plan(InferContext& c) {
  std::vector<IndexExpr> starts = bounds_argument(c, "starts", 1), ends = bounds_argument(c, "ends", 2);
  std::vector<int64_t> axes = slice_axes(c, starts.size());
  std::vector<int64_t> steps(starts.size(), 1);
  if (c.opset() >= 10 && c.has_input(4)) steps = c.constant_ints(4);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
    c.fail(
        fmt::format("{} starts, {} ends, {} axes and {} steps", starts.size(), ends.size(), axes.size(), steps.size()));
  }
  int rank = int(c.shape(0).size());
  normalized_axes(c, axes, rank);
  std::vector<SliceAxis> plan;
  for (size_t k = 0; k < starts.size(); ++k) {
    if (steps[k] == 0) c.fail("a step is 0");
    int64_t step = std::max(std::min(steps[k], kHuge), -kHuge);
    plan.push_back(slice_axis(c, normalized_axis(c, axes[k], rank), starts[k], ends[k], step));
  }
  return plan;
}

void infer_slice(InferContext& c) {
  Shape to = c.shape(0);
  for (const SliceAxis& s : slice_plan(c)) to[s.axis] = s.count;
  c.set_output(0, c.dtype(0), to);
}

void lower_slice(LowerContext& c) {
  std::vector<SliceAxis> plan = slice_plan(c);
  c.emit_pointwise(c.output_buffer(0), [&](auto at) {
    for (const SliceAxis& s : plan) at[s.axis] = s.start + at[s.axis] * IndexExpr(s.step);
    return load_input(c, 0, at);
  });
}

}  // namespace

void add_slice_ops(std::vector<Op>& t) {
  add_versions(t, "Slice", {1, 10, 11, 13}, {1, 5, 1}, infer_slice, lower_slice);
}

}  // namespace cppgen::ops
