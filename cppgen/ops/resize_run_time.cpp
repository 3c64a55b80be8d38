#include "cppgen/ops/resize_run_time.h"

#include <algorithm>

#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

// One resampled axis; numbers of the run are float64.
struct Axis {
  int axis;
  double in, out;
  Scalar scale;
  Scalar roi_start, roi_end;
};

bool crops(const RunTimeResize& r) { return r.mode.coordinates == "tf_crop_and_resize"; }

Scalar number_of_run(LowerContext& c, int input, int64_t k) { return load_input(c, input, {k}).cast(DType::f64); }

// As make_resize_table: see there for the formulas.
Scalar source_coordinate(const Axis& a, const std::string& kind, Scalar x) {
  if (kind == "asymmetric") return x / a.scale;
  if (kind == "align_corners") {
    Scalar exact = a.scale * a.in;
    return a.out == 1 ? x.number(0) : select(exact == 1.0, x.number(0), x * (a.in - 1) / (exact - 1.0));
  }
  if (kind == "pytorch_half_pixel" && a.out == 1) return x.number(0);
  if (kind == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
  if (kind == "tf_crop_and_resize") {
    if (a.out == 1) return 0.5 * (a.roi_start + a.roi_end) * (a.in - 1);
    return a.roi_start * (a.in - 1) + x * (a.roi_end - a.roi_start) * (a.in - 1) / (a.out - 1);
  }
  Scalar centre = (x + 0.5) / a.scale - 0.5;
  return kind == "half_pixel_symmetric" ? a.in / 2 * (1.0 - a.out / (a.scale * a.in)) + centre : centre;
}

Scalar nearest_position(Scalar x, const std::string& rounding) {
  if (rounding == "floor") return floor(x);
  if (rounding == "ceil") return ceil(x);
  return rounding == "round_prefer_ceil" ? floor(x + 0.5) : ceil(x - 0.5);
}

Scalar tap_weight(const ResizeMode& m, Scalar distance) {
  Scalar x = abs(distance);
  if (m.mode == "linear") return max(1.0 - x, 0.0);
  const double a = m.cubic_a;
  Scalar near = ((a + 2) * x - (a + 3)) * x * x + 1.0, far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return select(x <= 1.0, near, select(x < 2.0, far, x.number(0)));
}

int64_t tap_count(const ResizeMode& m) { return m.mode == "nearest" ? 1 : m.mode == "linear" ? 2 : 4; }

struct Tap {
  Scalar position, weight;  // position is inside of the axis
};

// Tap `t` (a float64 value) of the coordinate x.
Tap tap(const Axis& a, const ResizeMode& m, Scalar x, Scalar t) {
  auto inside = [&](Scalar p) { return max(min(p, a.in - 1), 0.0).cast(DType::i64); };
  if (m.mode == "nearest") return {inside(nearest_position(x, m.nearest)), x.number(1)};
  Scalar first = ceil(x) - double(tap_count(m) / 2);
  auto weight = [&](Scalar position) {
    Scalar w = tap_weight(m, position - x);
    return m.exclude_outside ? select(position < 0.0 || position > a.in - 1, w.number(0), w) : w;
  };
  Scalar position = first + t, own = weight(position);
  if (!m.exclude_outside) return {inside(position), own};
  Scalar sum = weight(first);
  for (int64_t k = 1; k < tap_count(m); ++k) sum = sum + weight(first + double(k));
  return {inside(position), own / sum};
}

// Axes that keep their extent are copied, which needs the scale 1, unless a region is cut out of them.
bool is_resampled(const RunTimeResize& r, IndexExpr in, IndexExpr out) { return crops(r) || !ir::prove_equal(in, out); }

std::vector<Axis> axes_of(LowerContext& c, const RunTimeResize& r, std::vector<Scalar>& conditions) {
  std::vector<Axis> result;
  for (size_t k = 0; k < r.axes.size(); ++k) {
    const int d = r.axes[k];
    const IndexExpr in = c.shape(0)[size_t(d)], out = c.output(0).shape[size_t(d)];
    const bool resampled = is_resampled(r, in, out);
    Scalar scale = number(c, DType::f64, 1);
    if (r.scales_input >= 0) {
      scale = number_of_run(c, r.scales_input, int64_t(k));
      Scalar extent = index_value(c, in, DType::f64), result_extent = index_value(c, out, DType::f64);
      conditions.push_back(resampled ? floor(extent * scale) == result_extent : scale == 1.0);
    }
    if (!resampled) continue;
    Axis a{d, double(in.constant()), double(out.constant()), scale, number(c, DType::f64, 0), number(c, DType::f64, 1)};
    if (r.scales_input < 0) a.scale = number(c, DType::f64, a.out / a.in);
    if (crops(r)) {
      a.roi_start = number_of_run(c, 1, int64_t(k));
      a.roi_end = number_of_run(c, 1, int64_t(k + r.axes.size()));
    }
    result.push_back(a);
  }
  return result;
}

}  // namespace

void infer_run_time_resize(InferContext& c, const RunTimeResize& r) {
  const int decisive = r.scales_input >= 0 ? r.scales_input : 3;
  Shape to = require_declared(c, decisive, r.scales_input >= 0 ? "the scales" : "the sizes");
  require_rank(c, 0, int(to.size()), int(to.size()));
  if (r.mode.antialias) c.fail("antialiasing needs constant scales");
  if (element_count(c, decisive) != int64_t(r.axes.size()))
    c.fail(fmt::format("there are not {} of input {}", r.axes.size(), decisive));
  if (crops(r) && element_count(c, 1) != 2 * int64_t(r.axes.size()))
    c.fail(fmt::format("the roi does not have {} values", 2 * r.axes.size()));
  for (size_t d = 0; d < to.size(); ++d) {
    const bool given = std::find(r.axes.begin(), r.axes.end(), int(d)) != r.axes.end();
    if (!given) require_equal(c, to[d], c.shape(0)[d], "a declared dimension and one that is not resized");
    if (given && is_resampled(r, c.shape(0)[d], to[d]) && constant_dim(c, c.shape(0)[d], "a resized dimension") < 1)
      c.fail("a resized dimension is empty");
  }
  c.set_output(0, c.dtype(0), to);
}

void lower_run_time_resize(LowerContext& c, const RunTimeResize& r) {
  std::vector<Scalar> conditions = r.conditions;
  const std::vector<Axis> axes = axes_of(c, r, conditions);
  const DType result = ir::value_type(c.dtype(0));
  const bool copies = r.mode.mode == "nearest";
  const DType type = copies ? result : c.dtype(0) == DType::f64 ? DType::f64 : DType::f32;
  ir::LoopNest nest;
  nest.loops = c.loops(c.output(0).shape);
  const At at = LowerContext::indices(nest.loops);
  std::vector<Gathered> gathered;
  std::optional<Scalar> factor, outside;
  for (const Axis& a : axes) {
    Scalar t = number(c, DType::f64, 0);
    if (!copies) {
      nest.reduced.push_back(c.loops({tap_count(r.mode)}, "t")[0]);
      t = index_value(c, nest.reduced.back().var, DType::f64);
    }
    Scalar x = source_coordinate(a, r.mode.coordinates, index_value(c, at[size_t(a.axis)], DType::f64));
    const Tap taken = tap(a, r.mode, x, t);
    gathered.push_back({a.axis, taken.position});
    factor = factor ? *factor * taken.weight : taken.weight;
    if (Scalar out = x < 0.0 || x > a.in - 1; crops(r)) outside = outside ? *outside || out : out;
  }
  Scalar value = load_gathered(c, c.input_buffer(0), at, gathered).cast(type);
  if (!copies) {
    nest.reductions.push_back({ir::ReduceOp::sum, type, factor ? value * factor->cast(type) : value});
    value = scalar(c, c.exprs().accumulator(0, type));
  }
  if (outside) value = select(*outside, value.number(r.extrapolation), value);
  nest.stores.push_back({c.output_buffer(0), at, checked(c, value.cast(result), conditions), {}});
  c.emit(std::move(nest));
}

}  // namespace cppgen::ops
