#include "cppgen/ops/images/resize_run_time_table.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

// As make_resize_table, in float32: see there for the formulas.
Scalar source_coordinate(const RunTimeAxis& a, const std::string& kind, Scalar x) {
  const Scalar zero = x.number(0), in = a.in.cast(DType::f32), out = a.out.cast(DType::f32);
  const Scalar scale = a.scale.cast(DType::f32), exact = scale * in;
  if (kind == "asymmetric") return x / scale;
  if (kind == "align_corners") return select(out == 1.0 || exact == 1.0, zero, x * (in - 1.0) / (exact - 1.0));
  if (kind == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  if (kind == "tf_crop_and_resize") {
    const Scalar start = a.roi_start.cast(DType::f32), end = a.roi_end.cast(DType::f32), last = in - 1.0;
    return select(out == 1.0, 0.5 * (start + end) * last, start * last + x * (end - start) * last / (out - 1.0));
  }
  Scalar centre = (x + 0.5) / scale - 0.5;
  if (kind == "pytorch_half_pixel") return select(out == 1.0, zero, centre);
  return kind == "half_pixel_symmetric" ? in / 2.0 * (1.0 - out / exact) + centre : centre;
}

Scalar nearest_position(const RunTimeAxis& a, Scalar x, const std::string& rounding) {
  if (rounding == "by_scale") return select(a.scale < 1.0, ceil(x), floor(x));
  if (rounding == "floor") return floor(x);
  if (rounding == "ceil") return ceil(x);
  return rounding == "round_prefer_ceil" ? floor(x + 0.5) : ceil(x - 0.5);
}

Scalar kernel_at(const ResizeMode& m, Scalar distance) {
  Scalar x = abs(distance);
  if (m.mode == "linear") return max(1.0 - x, 0.0);
  const double a = m.cubic_a;
  Scalar near = ((a + 2) * x - (a + 3)) * x * x + 1.0, far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return select(x <= 1.0, near, select(x < 2.0, far, x.number(0)));
}

int64_t kernel_reach(const ResizeMode& m) { return m.mode == "linear" ? 1 : 2; }

// Antialiasing widens the kernel when it shrinks the axis. Extents bound the scale: out <= scale x in + 1/2. As in
// make_resize_table no kernel is wider than its axis.
IndexExpr taps_of_kernel(const RunTimeAxis& a, const ResizeMode& m) {
  const int64_t reach = kernel_reach(m);
  if (!m.antialias) return 2 * reach;
  const IndexExpr wide = ceildiv(a.in_extent * IndexExpr(2 * reach), ir::max(2 * a.out_extent - 1, 1));
  return 2 * ir::max(ir::min(wide, a.in_extent + 2), reach);
}

}  // namespace

// One of an axis that stays as it is: batches and channels, mostly.
IndexExpr tap_count(const RunTimeAxis& a, const ResizeMode& m) {
  return m.mode == "nearest" ? IndexExpr(1) : 1 + a.changes() * (taps_of_kernel(a, m) - 1);
}

namespace {

Scalar clamped(const RunTimeAxis& a, Scalar position) { return max(min(position, a.in - 1.0), 0.0).cast(DType::i64); }

// Tap `t` of the coordinate x: its position, which may lie outside of the axis, and its weight before all are made to
// sum up to 1.
Scalar tap_position(LowerContext& c, const RunTimeAxis& a, const ResizeMode& m, Scalar x, IndexExpr t) {
  if (m.mode == "nearest") return nearest_position(a, x, m.nearest);
  return ceil(x) + index_value(c, t - floordiv(tap_count(a, m), 2), DType::f64);
}

Scalar tap_weight(const RunTimeAxis& a, const ResizeMode& m, Scalar x, Scalar position) {
  const Scalar zero = x.number(0);
  Scalar weight = kernel_at(m, position - x);
  if (m.antialias) {
    const Scalar scale = min(a.scale, 1.0), reach = min(double(kernel_reach(m)) / scale, a.in + 2.0);
    const Scalar offset = position - (ceil(x) - 1.0);
    const Scalar covered = offset > -reach && offset <= ceil(reach);
    weight = select(covered, kernel_at(m, (position - x) * scale), zero);
  }
  return m.exclude_outside ? select(position < 0.0 || position > a.in - 1.0, zero, weight) : weight;
}

// Of the weights of each position.
ir::BufferId emit_sums(LowerContext& c, const RunTimeAxis& a, const RunTimeResize& r,
                       const std::function<Scalar(const At&)>& weight) {
  const ir::BufferId sums = c.temporary(DType::f64, {a.out_extent});
  auto value = [&](const At& at, const At& tap) { return weight({tap[0], at[0]}); };
  emit_reduction(c, {"sums", sums, {tap_count(a, r.mode)}, ir::ReduceOp::sum, value, nullptr});
  return sums;
}

}  // namespace

RunTimeTable emit_table(LowerContext& c, const RunTimeAxis& a, const RunTimeResize& r, DType type) {
  const Shape entries{tap_count(a, r.mode), a.out_extent};
  RunTimeTable t{c.temporary(DType::i64, entries), -1, -1};
  auto coordinate = [&](IndexExpr o) {
    const Scalar x = source_coordinate(a, r.mode.coordinates, index_value(c, o, DType::f32)).cast(DType::f64);
    return a.stretched ? select(a.in == a.out, index_value(c, o, DType::f64), x) : x;
  };
  auto position = [&](const At& at) { return tap_position(c, a, r.mode, coordinate(at[1]), at[0]); };
  auto weight = [&](const At& at) { return tap_weight(a, r.mode, coordinate(at[1]), position(at)); };
  c.emit_pointwise(
      t.positions, [&](const At& at) { return clamped(a, position(at)); }, "positions");
  if (r.mode.mode != "nearest") {
    const bool normalised = r.mode.exclude_outside || r.mode.antialias;
    const ir::BufferId sums = normalised ? emit_sums(c, a, r, weight) : -1;
    t.weights = c.temporary(type, entries);
    c.emit_pointwise(
        t.weights,
        [&](const At& at) {
          const Scalar own = weight(at);
          return (normalised ? own / load(c, sums, {at[1]}) : own).cast(type);
        },
        "weights");
  }
  if (crops(r)) {
    t.outside = c.temporary(DType::boolean, {a.out_extent});
    c.emit_pointwise(
        t.outside,
        [&](const At& at) {
          const Scalar x = coordinate(at[0]);
          return x < 0.0 || x > a.in - 1.0;
        },
        "outside");
  }
  return t;
}

}  // namespace cppgen::ops
