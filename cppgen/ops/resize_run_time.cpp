#include "cppgen/ops/resize_run_time.h"

#include <algorithm>
#include <cmath>

#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

// One resampled axis; numbers of the run are float64.
struct Axis {
  int axis;
  Scalar in, out;
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
    return select(a.out == 1.0 || exact == 1.0, x.number(0), x * (a.in - 1.0) / (exact - 1.0));
  }
  if (kind == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
  if (kind == "tf_crop_and_resize") {
    Scalar alone = 0.5 * (a.roi_start + a.roi_end) * (a.in - 1.0);
    Scalar among = a.roi_start * (a.in - 1.0) + x * (a.roi_end - a.roi_start) * (a.in - 1.0) / (a.out - 1.0);
    return select(a.out == 1.0, alone, among);
  }
  Scalar centre = (x + 0.5) / a.scale - 0.5;
  if (kind == "pytorch_half_pixel") return select(a.out == 1.0, x.number(0), centre);
  return kind == "half_pixel_symmetric" ? a.in / 2.0 * (1.0 - a.out / (a.scale * a.in)) + centre : centre;
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
  auto inside = [&](Scalar p) { return max(min(p, a.in - 1.0), 0.0).cast(DType::i64); };
  if (m.mode == "nearest") return {inside(nearest_position(x, m.nearest)), x.number(1)};
  Scalar first = ceil(x) - double(tap_count(m) / 2);
  auto weight = [&](Scalar position) {
    Scalar w = tap_weight(m, position - x);
    return m.exclude_outside ? select(position < 0.0 || position > a.in - 1.0, w.number(0), w) : w;
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
    Scalar extent = index_value(c, in, DType::f64), result_extent = index_value(c, out, DType::f64);
    Scalar scale = r.scales.empty() ? result_extent / extent : number(c, DType::f64, r.scales[k]);
    if (r.scales_input >= 0) {
      scale = number_of_run(c, r.scales_input, int64_t(k));
      conditions.push_back(resampled ? floor(extent * scale) == result_extent : scale == 1.0);
    }
    if (!resampled) continue;
    Axis a{d, extent, result_extent, scale, number(c, DType::f64, 0), number(c, DType::f64, 1)};
    if (crops(r)) {
      a.roi_start = number_of_run(c, 1, int64_t(k));
      a.roi_end = number_of_run(c, 1, int64_t(k + r.axes.size()));
    }
    result.push_back(a);
  }
  return result;
}

}  // namespace

IndexExpr scaled_extent(IndexExpr extent, double scale) {
  if (extent.is_constant()) return int64_t(std::floor(double(extent.constant()) * scale));
  constexpr int kMantissa = 24;
  int exponent = 0;
  auto digits = int64_t(std::ldexp(std::frexp(scale, &exponent), kMantissa));
  int shift = kMantissa - exponent;  // scale = digits / 2^shift
  for (; shift > 0 && digits % 2 == 0; --shift) digits /= 2;
  for (; shift < 0; ++shift) digits *= 2;
  return floordiv(extent * IndexExpr(digits), int64_t(1) << shift);
}

bool is_repetition(const ResizeAxis& a, const ResizeTable& t) {
  if (a.out % a.in != 0) return false;
  for (int64_t o = 0; o < a.out; ++o) {
    if (t.positions[size_t(o)] != o / (a.out / a.in)) return false;
  }
  return true;
}

namespace {

// The number of times that each element is repeated along an axis of any extent; 0 if it is not so.
int64_t repetitions(const RunTimeResize& r, int axis) {
  const auto k = size_t(std::find(r.axes.begin(), r.axes.end(), axis) - r.axes.begin());
  const bool shifts = r.mode.coordinates == "asymmetric" || r.mode.coordinates == "half_pixel";
  if (r.scales.empty() || r.mode.mode != "nearest" || !shifts) return 0;
  constexpr int64_t kSample = 4, kMost = 64;
  const double scale = r.scales[k];
  if (scale != std::floor(scale) || scale < 1 || scale > double(kMost)) return 0;
  const ResizeAxis sample{axis, kSample, kSample * int64_t(scale), scale};
  return is_repetition(sample, make_resize_table(sample, r.mode)) ? int64_t(scale) : 0;
}

// Dimensions of the output that follow from scales or sizes which are known.
std::optional<Shape> known_output(InferContext& c, const RunTimeResize& r) {
  Shape to = c.shape(0);
  if (r.scales_input >= 0) return std::nullopt;
  const std::vector<IndexExpr>* sizes = r.scales.empty() ? c.contents(3) : nullptr;
  if (r.scales.empty() && !sizes) return std::nullopt;
  if ((sizes ? sizes->size() : r.scales.size()) != r.axes.size())
    c.fail(fmt::format("there are {} scales or sizes for {} dimensions", sizes ? sizes->size() : r.scales.size(),
                       r.axes.size()));
  for (size_t k = 0; k < r.axes.size(); ++k) {
    IndexExpr& d = to[size_t(r.axes[k])];
    d = sizes ? (*sizes)[k] : scaled_extent(d, r.scales[k]);
  }
  return to;
}

Shape output_of(InferContext& c, const RunTimeResize& r) {
  if (const auto known = known_output(c, r)) return *known;
  const int decisive = r.scales_input >= 0 ? r.scales_input : 3;
  if (element_count(c, decisive) != int64_t(r.axes.size()))
    c.fail(fmt::format("there are not {} of input {}", r.axes.size(), decisive));
  PartialShape partial(c.shape(0).begin(), c.shape(0).end());
  for (int axis : r.axes) partial[size_t(axis)].reset();
  return require_declared(c, decisive, r.scales_input >= 0 ? "the scales" : "the sizes", partial);
}

}  // namespace

void infer_run_time_resize(InferContext& c, const RunTimeResize& r) {
  if (r.mode.antialias) c.fail("antialiasing needs constant scales and dimensions");
  const Shape to = output_of(c, r);
  require_rank(c, 0, int(to.size()), int(to.size()));
  if (crops(r) && element_count(c, 1) != 2 * int64_t(r.axes.size()))
    c.fail(fmt::format("the roi does not have {} values", 2 * r.axes.size()));
  for (size_t d = 0; d < to.size(); ++d) {
    const bool given = std::find(r.axes.begin(), r.axes.end(), int(d)) != r.axes.end();
    if (!given) require_equal(c, to[d], c.shape(0)[d], "a declared dimension and one that is not resized");
    if (given && is_resampled(r, c.shape(0)[d], to[d]) && c.shape(0)[d].is_constant(0))
      c.fail("a resized dimension is empty");
  }
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void resolve_run_time_resize(LowerContext& c, const RunTimeResize& r, ir::BufferId dims) {
  std::vector<Scalar> to;
  for (IndexExpr d : c.shape(0)) to.push_back(index_value(c, d));
  for (size_t k = 0; k < r.axes.size(); ++k) {
    Scalar& d = to[size_t(r.axes[k])];
    if (r.scales_input < 0) {
      d = integer_element(c, 3, int64_t(k));
    } else {
      const Scalar scale = number_of_run(c, r.scales_input, int64_t(k));
      d = valid_or_refused(c, floor(d.cast(DType::f64) * scale).cast(DType::i64), {scale > 0.0});
    }
  }
  emit_dims(c, dims, to);
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
  At from = at;
  std::vector<Gathered> gathered;
  std::optional<Scalar> factor, outside;
  for (const Axis& a : axes) {
    if (const int64_t times = repetitions(r, a.axis)) {
      from[size_t(a.axis)] = floordiv(at[size_t(a.axis)], times);
      continue;
    }
    Scalar t = number(c, DType::f64, 0);
    if (!copies) {
      nest.reduced.push_back(c.loops({tap_count(r.mode)}, "t")[0]);
      t = index_value(c, nest.reduced.back().var, DType::f64);
    }
    Scalar x = source_coordinate(a, r.mode.coordinates, index_value(c, at[size_t(a.axis)], DType::f64));
    const Tap taken = tap(a, r.mode, x, t);
    gathered.push_back({a.axis, taken.position});
    factor = factor ? *factor * taken.weight : taken.weight;
    if (Scalar out = x < 0.0 || x > a.in - 1.0; crops(r)) outside = outside ? *outside || out : out;
  }
  Scalar value = load_gathered(c, c.input_buffer(0), from, gathered).cast(type);
  if (!copies) {
    nest.reductions.push_back({ir::ReduceOp::sum, type, factor ? value * factor->cast(type) : value});
    value = scalar(c, c.exprs().accumulator(0, type));
  }
  if (outside) value = select(*outside, value.number(r.extrapolation), value);
  nest.stores.push_back({c.output_buffer(0), at, checked(c, value.cast(result), conditions), {}});
  c.emit(std::move(nest));
}

}  // namespace cppgen::ops
