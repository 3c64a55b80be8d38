#include <algorithm>
#include <limits>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"

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

bool has_sign(IndexExpr bound) {
  return bound.is_constant() || ir::prove_less(bound, 0) || ir::prove_less_equal(0, bound);
}

// The sign of -S is known if S is not 0, which is then assumed.
bool is_negated_dimension(IndexExpr bound) { return bound.range().hi == 0 && !ir::depends_on_fresh_symbols(bound); }

// A bound clamped into [lo, hi], where hi wins: the start of a falling slice of an empty dimension is -1.
IndexExpr clamp_bound(InferContext& c, IndexExpr bound, IndexExpr extent, int64_t lo, IndexExpr hi) {
  if (bound.is_constant() && bound.constant() >= kHuge) return hi;
  if (bound.is_constant() && bound.constant() <= -kHuge) return ir::min(lo, hi);
  if (!has_sign(bound))
    c.fail_unequal(ir::min(IndexExpr() - bound, 1), IndexExpr(1),
                   fmt::format("the sign of the bound {} is unknown", ir::to_string(bound)));
  if (ir::prove_less(bound, 0)) bound = bound + extent;
  return ir::prove_less_equal(lo, hi) ? ir::max(ir::min(bound, hi), lo) : ir::min(ir::max(bound, lo), hi);
}

// to - from, as a minimum where `from` is a maximum: of the last row, min(1, N) and not N - max(N - 1, 0).
IndexExpr distance(IndexExpr from, IndexExpr to) {
  if (!from.node() || from.node()->op != ir::IndexOp::max) return to - from;
  IndexExpr least = to - from.node()->args[0];
  for (IndexExpr arg : from.node()->args) least = ir::min(least, to - arg);
  return least;
}

// Slice-13: "start[i] is clamped into the range [0, dims[i]] for positive stepping and [0, dims[i]-1] for negative
// stepping", so a falling slice that starts below the first element has this element, other than in NumPy; its end is
// clamped into [-1, dims[i]-1].
SliceAxis slice_axis(InferContext& c, int axis, IndexExpr start, IndexExpr end, int64_t step) {
  IndexExpr extent = c.shape(0)[axis];
  if (step > 0) {
    start = clamp_bound(c, start, extent, 0, extent);
    end = clamp_bound(c, end, extent, 0, extent);
    return {axis, start, step, ir::max(ceildiv(distance(start, end), step), 0)};
  }
  start = clamp_bound(c, start, extent, 0, extent - 1);
  end = clamp_bound(c, end, extent, -1, extent - 1);
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
    c.fail(fmt::format("there are {} starts, {} ends, {} axes and {} steps", starts.size(), ends.size(), axes.size(),
                       steps.size()));
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

// Returns whether a bound counts from the start or from the end.
bool has_unknown_sign(InferContext& c, int input) {
  const auto* known = c.contents(input);
  return known && std::any_of(known->begin(), known->end(),
                              [](IndexExpr e) { return !has_sign(e) && !is_negated_dimension(e); });
}

bool is_run_time_slice(InferContext& c) {
  if (c.opset() < 10) return false;
  if (has_unknown_sign(c, 1) || has_unknown_sign(c, 2)) return true;
  return is_run_time(c, 1) || is_run_time(c, 2) || is_run_time(c, 3) || is_run_time(c, 4);
}

// Dimensions along other axes do not change.
PartialShape run_time_slice_dims(InferContext& c) {
  const Shape& x = c.shape(0);
  PartialShape dims(x.begin(), x.end());
  const int64_t entries = element_count(c, 1);
  if (c.has_input(3) && is_run_time(c, 3)) return unknown_dims(x.size());
  const std::vector<int64_t> axes = slice_axes(c, size_t(entries));
  for (int64_t axis : axes) dims[size_t(normalized_axis(c, axis, int(x.size())))] = std::nullopt;
  return dims;
}

void infer_declared_slice(InferContext& c) {
  Shape to = require_declared(c, 1, "the bounds", run_time_slice_dims(c));
  require_rank(c, 0, int(to.size()), int(to.size()));
  for (int i = 1; i < c.input_count(); ++i) {
    if (!c.has_input(i)) continue;
    require_dtype(c, i, bit(DType::i32) | bit(DType::i64));
    if (element_count(c, i) != element_count(c, 1)) c.fail(fmt::format("inputs 1 and {} have different lengths", i));
  }
  if (element_count(c, 1) > int64_t(to.size())) c.fail("there are more bounds than dimensions");
  c.set_output(0, c.dtype(0), to);
}

// Entry k of the bounds for dimension d, as values of the run.
struct RunTimeSlice {
  Scalar start, step, count;
};

RunTimeSlice run_time_slice(LowerContext& c, int64_t k, IndexExpr extent_index) {
  Scalar extent = index_value(c, extent_index), start = integer_element(c, 1, k), end = integer_element(c, 2, k);
  Scalar step = c.has_input(4) ? integer_element(c, 4, k) : start.number(1), zero = start.number(0);
  Scalar falling = step < 0.0;
  Scalar hi = select(falling, extent - 1.0, extent);
  auto clamp = [&](Scalar bound, Scalar lo) { return min(max(select(bound < 0.0, bound + extent, bound), lo), hi); };
  start = clamp(start, zero), end = clamp(end, select(falling, zero.number(-1), zero));
  Scalar distance = select(falling, start - end, end - start), stride = max(abs(step), 1.0);
  return {start, step, max((distance + stride - 1.0) / stride, 0.0)};
}

// Positions are computed from the run's values; the number of elements must be the declared one.
void lower_run_time_slice(LowerContext& c) {
  const Shape& x = c.shape(0);
  int64_t rank = int64_t(x.size()), entries = element_count(c, 1);
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    std::vector<Gathered> gathered;
    std::vector<Scalar> conditions;
    for (int64_t d = 0; d < rank; ++d) {
      Scalar here = index_value(c, at[size_t(d)]), position = here, count = index_value(c, x[size_t(d)]);
      for (int64_t k = 0; k < entries; ++k) {
        RunTimeSlice s = run_time_slice(c, k, x[size_t(d)]);
        Scalar sliced = s.start + here * s.step;
        if (!c.has_input(3)) {
          if (k == d) position = sliced, count = s.count;
          continue;
        }
        Scalar axis = integer_element(c, 3, k), meant = axis == double(d) || axis == double(d - rank);
        position = select(meant, sliced, position), count = select(meant, s.count, count);
      }
      conditions.push_back(count == index_value(c, c.output(0).shape[size_t(d)]));
      gathered.push_back({int(d), position});
    }
    return checked(c, load_gathered(c, c.input_buffer(0), at, gathered), conditions);
  });
}

void resolve_slice(LowerContext& c, ir::BufferId dims) {
  const Shape& x = c.shape(0);
  const auto rank = int64_t(x.size());
  std::vector<Scalar> result;
  for (int64_t d = 0; d < rank; ++d) {
    Scalar count = index_value(c, x[size_t(d)]);
    for (int64_t k = 0, entries = element_count(c, 1); k < entries; ++k) {
      const RunTimeSlice s = run_time_slice(c, k, x[size_t(d)]);
      if (!c.has_input(3)) {
        if (k == d) count = valid_or_refused(c, s.count, {s.step != 0.0});
        continue;
      }
      const Scalar axis = integer_element(c, 3, k), meant = axis == double(d) || axis == double(d - rank);
      count = select(meant, valid_or_refused(c, s.count, {s.step != 0.0}), count);
    }
    result.push_back(count);
  }
  emit_dims(c, dims, result);
}

void infer_slice(InferContext& c) {
  if (is_run_time_slice(c)) return infer_declared_slice(c);
  Shape to = c.shape(0);
  for (const SliceAxis& s : slice_plan(c)) to[s.axis] = s.count;
  c.set_output(0, c.dtype(0), to);
}

void lower_slice(LowerContext& c) {
  if (is_run_time_slice(c)) return lower_run_time_slice(c);
  std::vector<SliceAxis> plan = slice_plan(c);
  c.emit_pointwise(c.output_buffer(0), [&](auto at) {
    for (const SliceAxis& s : plan) at[s.axis] = s.start + at[s.axis] * IndexExpr(s.step);
    return load_input(c, 0, at);
  });
}

}  // namespace

std::vector<Op> slice_ops() {
  return {
      {.name = "Slice",
       .versions = {{1, "axes:ints ends:ints starts:ints"}, {10, "-axes -ends -starts"}, 11, 13},
       .inputs = {1, 5},
       .elements = Elements::any,
       .infer = infer_slice,
       .lower = lower_slice,
       .resolve = resolve_slice},
  };
}

}  // namespace cppgen::ops
