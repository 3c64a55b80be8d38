#include "cppgen/ops/images/resize_run_time_table.h"

#include "cppgen/ops/images/resize_formulas.h"

namespace cppgen::ops {
namespace {

// The coordinate of position o of the result, as float64.
Scalar coordinate_in_run(LowerContext& c, const RunTimeAxis& a, const RunTimeResize& r, IndexExpr o) {
  const Scalar position = index_value(c, o, DType::f64);
  if (r.has_sizes()) {
    const bool stretched = r.policy == ResizePolicy::stretch;
    const ExactAxis<Scalar> sizes{a.in, a.out, a.up, a.down, a.roi_start, a.roi_end, stretched};
    const Scalar x = source_coordinate(sizes, r.mode.coordinates, position);
    return a.stretched ? select(a.in == a.out, position, x) : x;
  }
  const auto narrow = [](Scalar x) { return x.cast(DType::f32); };
  const AxisSizes<Scalar> sizes{narrow(a.in), narrow(a.out), narrow(a.scale), narrow(a.roi_start), narrow(a.roi_end)};
  return source_coordinate(sizes, r.mode.coordinates, index_value(c, o, DType::f32)).cast(DType::f64);
}

int64_t kernel_reach(const ResizeMode& m) { return m.mode == Interpolation::linear ? 1 : 2; }

// Antialiasing widens the kernel when it shrinks the axis. Extents bound the scale: out <= scale x in + 1/2. As in
// make_resize_table no kernel is wider than its axis.
IndexExpr taps_of_kernel(const RunTimeAxis& a, const ResizeMode& m) {
  const int64_t reach = kernel_reach(m);
  if (!m.antialias) return 2 * reach;
  const IndexExpr wide = ceildiv(a.in_extent * IndexExpr(2 * reach), ir::max(2 * a.out_extent - 1, 1));
  return 2 * ir::max(ir::min(wide, a.in_extent + 2), reach);
}

}  // namespace

// The factor of an axis that does not change: mostly of batches and channels.
IndexExpr tap_count(const RunTimeAxis& a, const ResizeMode& m) {
  return m.mode == Interpolation::nearest ? IndexExpr(1) : 1 + a.changes() * (taps_of_kernel(a, m) - 1);
}

namespace {

Scalar clamped(const RunTimeAxis& a, Scalar position) { return max(min(position, a.in - 1.0), 0.0).cast(DType::i64); }

// Tap `t` of the coordinate x: its position, which may be outside the axis, and its weight before normalisation.
Scalar tap_position(LowerContext& c, const RunTimeAxis& a, const ResizeMode& m, Scalar x, IndexExpr t) {
  if (m.mode == Interpolation::nearest) return nearest_position(a.scale, x, m.nearest);
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

// The sum of the weights of each position.
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
  auto coordinate = [&](IndexExpr o) { return coordinate_in_run(c, a, r, o); };
  auto position = [&](const At& at) { return tap_position(c, a, r.mode, coordinate(at[1]), at[0]); };
  auto weight = [&](const At& at) { return tap_weight(a, r.mode, coordinate(at[1]), position(at)); };
  c.emit_pointwise(
      t.positions, [&](const At& at) { return clamped(a, position(at)); }, "positions");
  if (r.mode.mode != Interpolation::nearest) {
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
