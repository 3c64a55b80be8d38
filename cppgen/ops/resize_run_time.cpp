#include "cppgen/ops/resize_run_time.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

constexpr double kMaxExtent = double(int64_t(1) << 24);

// One resampled axis; numbers of the run are float64.
struct Axis {
  int axis;
  IndexExpr in_extent, out_extent;
  Scalar in, out, scale, roi_start, roi_end;
};

bool crops(const RunTimeResize& r) { return r.mode.coordinates == "tf_crop_and_resize"; }

Scalar number_of_run(LowerContext& c, int input, int64_t k) {
  if (c.shape(input).empty()) return only_element(c, input).cast(DType::f64);
  return load_input(c, input, {k}).cast(DType::f64);
}

// As make_resize_table, in float32: see there for the formulas.
Scalar source_coordinate(const Axis& a, const std::string& kind, Scalar x) {
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

Scalar nearest_position(const Axis& a, Scalar x, const std::string& rounding) {
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
IndexExpr tap_count(const Axis& a, const ResizeMode& m) {
  if (m.mode == "nearest") return 1;
  const int64_t reach = kernel_reach(m);
  if (!m.antialias) return 2 * reach;
  const IndexExpr wide = ceildiv(a.in_extent * IndexExpr(2 * reach), ir::max(2 * a.out_extent - 1, 1));
  return 2 * ir::max(ir::min(wide, a.in_extent + 2), reach);
}

Scalar clamped(const Axis& a, Scalar position) { return max(min(position, a.in - 1.0), 0.0).cast(DType::i64); }

// Tap `t` of the coordinate x: its position, which may lie outside of the axis, and its weight before all are made to
// sum up to 1.
Scalar tap_position(LowerContext& c, const Axis& a, const ResizeMode& m, Scalar x, IndexExpr t) {
  if (m.mode == "nearest") return nearest_position(a, x, m.nearest);
  return ceil(x) + index_value(c, t - floordiv(tap_count(a, m), 2), DType::f64);
}

Scalar tap_weight(const Axis& a, const ResizeMode& m, Scalar x, Scalar position) {
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

// Axes that keep their extent are copied, which needs the scale 1. A region may be cut out of them, and the scale that a
// policy gives to all axes may round to the extent that they have: 3/4 of 2 is 2.
bool is_resampled(const RunTimeResize& r, IndexExpr in, IndexExpr out) {
  return crops(r) || (r.has_sizes() && r.policy != "stretch") || !ir::prove_equal(in, out);
}

// What the run gives for an axis: its scale, a float32, and its extent after it, a float64.
struct Size {
  Scalar scale, extent;
};

Scalar extent_of(LowerContext& c, const RunTimeResize& r, size_t k) {
  return index_value(c, c.shape(0)[size_t(r.axes[k])], DType::f32);
}

// The policies give all axes one scale.
std::vector<Size> sizes_of(LowerContext& c, const RunTimeResize& r) {
  std::vector<Size> sizes;
  for (size_t k = 0; k < r.axes.size(); ++k) {
    const Scalar in = extent_of(c, r, k);
    if (r.has_sizes()) {
      const Scalar size = number_of_run(c, 3, int64_t(k));
      sizes.push_back({size.cast(DType::f32) / in, size});
    } else {
      const Scalar scale = r.scales.empty() ? number_of_run(c, r.scales_input, int64_t(k)).cast(DType::f32)
                                            : number(c, DType::f32, r.scales[k]);
      sizes.push_back({scale, floor(in * scale).cast(DType::f64)});
    }
  }
  if (!r.has_sizes() || r.policy == "stretch" || sizes.empty()) return sizes;
  Scalar common = sizes[0].scale;
  for (const Size& s : sizes) common = r.policy == "not_larger" ? min(common, s.scale) : max(common, s.scale);
  for (size_t k = 0; k < sizes.size(); ++k) {
    sizes[k] = {common, floor(common * extent_of(c, r, k) + 0.5).cast(DType::f64)};
  }
  return sizes;
}

std::vector<Axis> axes_of(LowerContext& c, const RunTimeResize& r, std::vector<Scalar>& conditions) {
  std::vector<Axis> result;
  const std::vector<Size> sizes = sizes_of(c, r);
  for (size_t k = 0; k < r.axes.size(); ++k) {
    const int d = r.axes[k];
    const IndexExpr in = c.shape(0)[size_t(d)], out = c.output(0).shape[size_t(d)];
    const bool resampled = is_resampled(r, in, out);
    const Scalar extent = index_value(c, out, DType::f64);
    if (r.scales_input >= 0 || r.policy != "stretch")
      conditions.push_back(resampled ? sizes[k].extent == extent : sizes[k].scale == 1.0);
    if (!resampled) continue;
    Axis a{d,
           in,
           out,
           index_value(c, in, DType::f64),
           extent,
           sizes[k].scale.cast(DType::f64),
           number(c, DType::f64, 0),
           number(c, DType::f64, 1)};
    if (crops(r)) {
      a.roi_start = number_of_run(c, 1, int64_t(k));
      a.roi_end = number_of_run(c, 1, int64_t(k + r.axes.size()));
    }
    result.push_back(a);
  }
  return result;
}

// The fraction with the least denominator that is this float, by continued fractions: what the model's author meant by
// 0.7, which makes 7 of 10, as the product of floats does.
std::pair<int64_t, int64_t> simplest_fraction(InferContext& c, float scale) {
  constexpr int64_t kMost = int64_t(1) << 24;
  int64_t p = 1, q = 0, last_p = 0, last_q = 1;
  for (double rest = scale; q < kMost && p < kMost;) {
    const double whole = std::floor(rest);
    if (whole > double(kMost)) break;
    std::tie(last_p, p) = std::pair(p, int64_t(whole) * p + last_p);
    std::tie(last_q, q) = std::pair(q, int64_t(whole) * q + last_q);
    if (float(double(p) / double(q)) == scale) return {p, q};
    if (rest == whole) break;
    rest = 1 / (rest - whole);
  }
  c.fail(fmt::format("scale {} is not allowed for a dimension that is no constant", scale));
}

// For each position of the result along an axis: taps and their weights, and whether it lies outside of the input.
struct Table {
  ir::BufferId positions, weights, outside;
};

// Of the weights of each position.
ir::BufferId emit_sums(LowerContext& c, const Axis& a, const RunTimeResize& r,
                       const std::function<Scalar(const At&)>& weight) {
  const ir::BufferId sums = c.temporary(DType::f64, {a.out_extent});
  auto value = [&](const At& at, const At& tap) { return weight({at[0], tap[0]}); };
  emit_reduction(c, {"sums", sums, {tap_count(a, r.mode)}, ir::ReduceOp::sum, value, nullptr});
  return sums;
}

Table emit_table(LowerContext& c, const Axis& a, const RunTimeResize& r, DType type) {
  const Shape entries{a.out_extent, tap_count(a, r.mode)};
  Table t{c.temporary(DType::i64, entries), -1, -1};
  auto coordinate = [&](IndexExpr o) {
    return source_coordinate(a, r.mode.coordinates, index_value(c, o, DType::f32)).cast(DType::f64);
  };
  auto position = [&](const At& at) { return tap_position(c, a, r.mode, coordinate(at[0]), at[1]); };
  auto weight = [&](const At& at) { return tap_weight(a, r.mode, coordinate(at[0]), position(at)); };
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
          return (normalised ? own / load(c, sums, {at[0]}) : own).cast(type);
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

}  // namespace

IndexExpr scaled_extent(InferContext& c, IndexExpr in, double scale) {
  if (in.is_constant()) return int64_t(std::floor(float(in.constant()) * float(scale)));
  const auto [numerator, denominator] = simplest_fraction(c, float(scale));
  return floordiv(in * IndexExpr(numerator), denominator);
}

void infer_run_time_resize(InferContext& c, const RunTimeResize& r) {
  const Shape& x = c.shape(0);
  const int decisive = r.has_sizes() ? 3 : r.scales_input;
  if (decisive >= 0 && element_count(c, decisive) != int64_t(r.axes.size()))
    c.fail(fmt::format("there are not {} of input {}", r.axes.size(), decisive));
  if (crops(r) && element_count(c, 1) != 2 * int64_t(r.axes.size()))
    c.fail(fmt::format("the roi does not have {} values", 2 * r.axes.size()));
  const auto* known = r.has_sizes() && r.policy == "stretch" ? c.contents(3) : nullptr;
  PartialShape partial(x.begin(), x.end());
  for (size_t k = 0; k < r.axes.size(); ++k) {
    std::optional<IndexExpr>& to = partial[size_t(r.axes[k])];
    if (!r.scales.empty()) {
      to = scaled_extent(c, *to, r.scales[k]);
    } else {
      to = known ? std::optional((*known)[k]) : std::nullopt;
    }
  }
  Shape to;
  if (std::all_of(partial.begin(), partial.end(), [](const auto& d) { return d.has_value(); })) {
    for (const auto& d : partial) to.push_back(*d);
  } else {
    to = require_declared(c, decisive, r.has_sizes() ? "the sizes" : "the scales", partial);
    require_rank(c, 0, int(to.size()), int(to.size()));
    for (size_t d = 0; d < to.size(); ++d)
      if (partial[d]) require_equal(c, to[d], *partial[d], "a declared dimension and one that is not resized");
  }
  for (int d : r.axes)
    if (x[size_t(d)].is_constant(0) && is_resampled(r, x[size_t(d)], to[size_t(d)]))
      c.fail("a resized dimension is empty");
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void resolve_run_time_resize(LowerContext& c, const RunTimeResize& r, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (IndexExpr d : c.shape(0)) result.push_back(index_value(c, d));
  const std::vector<Size> sizes = sizes_of(c, r);
  for (size_t k = 0; k < sizes.size(); ++k) {
    Scalar& to = result[size_t(r.axes[k])];
    const Scalar in = to, extent = sizes[k].extent, scale = sizes[k].scale;
    // An empty axis stays empty.
    const Scalar fits = extent >= 0.0 && extent <= kMaxExtent && (in == 0.0 || scale > 0.0 || extent == 0.0) &&
                        (in != 0.0 || extent == 0.0);
    to = valid_or_refused(c, select(fits, extent, extent.number(-1)).cast(DType::i64), {fits});
  }
  emit_dims(c, dims, result);
}

void lower_run_time_resize(LowerContext& c, const RunTimeResize& r) {
  std::vector<Scalar> conditions = r.conditions;
  const std::vector<Axis> axes = axes_of(c, r, conditions);
  const DType result = ir::value_type(c.dtype(0));
  const bool copies = r.mode.mode == "nearest";
  const DType type = copies ? result : c.dtype(0) == DType::f64 ? DType::f64 : DType::f32;
  std::vector<Table> tables;
  for (const Axis& a : axes) tables.push_back(emit_table(c, a, r, type));
  ir::LoopNest nest;
  nest.loops = c.loops(c.output(0).shape);
  const At at = LowerContext::indices(nest.loops);
  std::vector<Gathered> gathered;
  std::optional<Scalar> factor, outside;
  for (size_t k = 0; k < axes.size(); ++k) {
    At entry{at[size_t(axes[k].axis)], IndexExpr()};
    if (!copies) {
      nest.reduced.push_back(c.loops({tap_count(axes[k], r.mode)}, "t")[0]);
      entry[1] = nest.reduced.back().var;
      const Scalar weight = load(c, tables[k].weights, entry);
      factor = factor ? *factor * weight : weight;
    }
    gathered.push_back({axes[k].axis, load(c, tables[k].positions, entry)});
    if (!crops(r)) continue;
    const Scalar out = load(c, tables[k].outside, {entry[0]});
    outside = outside ? *outside || out : out;
  }
  Scalar value = load_gathered(c, c.input_buffer(0), at, gathered).cast(type);
  if (!copies) {
    nest.reductions.push_back({ir::ReduceOp::sum, type, factor ? value * *factor : value});
    value = scalar(c, c.exprs().accumulator(0, type));
  }
  if (outside) value = select(*outside, value.number(r.extrapolation), value);
  nest.stores.push_back({c.output_buffer(0), at, checked(c, value.cast(result), conditions), {}});
  c.emit(std::move(nest));
}

}  // namespace cppgen::ops
