#include "cppgen/ops/images/resize_run_time.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cppgen/ops/declared.h"
#include "cppgen/ops/images/resize_formulas.h"
#include "cppgen/ops/images/resize_run_time_table.h"

namespace cppgen::ops {
namespace {

Scalar number_of_run(LowerContext& c, int input, int64_t k) {
  if (c.shape(input).empty()) return only_element(c, input).cast(DType::f64);
  return load_input(c, input, {k}).cast(DType::f64);
}

// Axes that keep their extent are copied, which needs the scale 1. A region may be cut out of them, and the scale that
// a policy gives to all axes may round to the extent that they have: 3/4 of 2 is 2.
bool is_resampled(const RunTimeResize& r, IndexExpr in, IndexExpr out) {
  return crops(r) || (r.has_sizes() && r.policy != ResizePolicy::stretch) || !ir::prove_equal(in, out);
}

// The run-time values of an axis, float64: its scale, which is up / down if sizes are given, and its scaled extent.
struct Size {
  Scalar scale, extent, up, down;
};

Scalar extent_of(LowerContext& c, const RunTimeResize& r, size_t k, DType type) {
  return index_value(c, c.shape(0)[size_t(r.axes[k])], type);
}

// Scales are float32, as their products with extents.
std::vector<Size> sizes_by_scales(LowerContext& c, const RunTimeResize& r) {
  std::vector<Size> sizes;
  for (size_t k = 0; k < r.axes.size(); ++k) {
    const Scalar scale = r.scales.empty() ? number_of_run(c, r.scales_input, int64_t(k)).cast(DType::f32)
                                          : number(c, DType::f32, r.scales[k]);
    const Scalar extent = floor(extent_of(c, r, k, DType::f32) * scale).cast(DType::f64), wide = scale.cast(DType::f64);
    sizes.push_back({wide, extent, wide, wide.number(1)});
  }
  return sizes;
}

// The policies give all axes one scale.
std::vector<Size> sizes_in_run(LowerContext& c, const RunTimeResize& r) {
  if (!r.has_sizes()) return sizes_by_scales(c, r);
  std::vector<Size> sizes;
  for (size_t k = 0; k < r.axes.size(); ++k) {
    const Scalar size = number_of_run(c, 3, int64_t(k)), in = extent_of(c, r, k, DType::f64);
    sizes.push_back({size / in, size, size, in});
  }
  if (r.policy == ResizePolicy::stretch || sizes.empty()) return sizes;
  Scalar up = sizes[0].up, down = sizes[0].down;
  for (const Size& s : sizes) {
    const Scalar mine = s.up * down, common = up * s.down;
    const Scalar chosen = r.policy == ResizePolicy::not_larger ? mine < common : common < mine;
    up = select(chosen, s.up, up), down = select(chosen, s.down, down);
  }
  for (Size& s : sizes) s = {up / down, rounded_size(s.down, up, down), up, down};
  return sizes;
}

std::vector<RunTimeAxis> axes_of(LowerContext& c, const RunTimeResize& r, std::vector<Scalar>& conditions) {
  std::vector<RunTimeAxis> result;
  const std::vector<Size> sizes = sizes_in_run(c, r);
  for (size_t k = 0; k < r.axes.size(); ++k) {
    const int d = r.axes[k];
    const IndexExpr in = c.shape(0)[size_t(d)], out = c.output(0).shape[size_t(d)];
    const bool resampled = is_resampled(r, in, out);
    const Scalar extent = index_value(c, out, DType::f64);
    if (r.scales_input >= 0 || r.policy != ResizePolicy::stretch)
      conditions.push_back(resampled ? sizes[k].extent == extent : sizes[k].scale == 1.0);
    if (!resampled) continue;
    RunTimeAxis a{d,
                  in,
                  out,
                  index_value(c, in, DType::f64),
                  extent,
                  sizes[k].scale,
                  sizes[k].up,
                  sizes[k].down,
                  number(c, DType::f64, 0),
                  number(c, DType::f64, 1),
                  r.has_sizes() && r.policy == ResizePolicy::stretch && !crops(r)};
    if (crops(r)) {
      a.roi_start = number_of_run(c, 1, int64_t(k));
      a.roi_end = number_of_run(c, 1, int64_t(k + r.axes.size()));
    }
    result.push_back(a);
  }
  return result;
}

// The fraction with the least denominator that is this float, by continued fractions: the number that the model's
// author meant, such as 0.7, which turns 10 into 7, as the product of floats does.
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
  c.fail(fmt::format("scale {} is not allowed for a dimension that is not constant", scale));
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
    c.fail(fmt::format("input {} must have {} elements", decisive, r.axes.size()));
  if (crops(r) && element_count(c, 1) != 2 * int64_t(r.axes.size()))
    c.fail(fmt::format("the roi does not have {} values", 2 * r.axes.size()));
  const auto* known = r.has_sizes() && r.policy == ResizePolicy::stretch ? c.contents(3) : nullptr;
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
    if (r.has_sizes() && x[size_t(d)].is_constant(0) && is_resampled(r, x[size_t(d)], to[size_t(d)]))
      c.fail("a resized dimension is empty");
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void resolve_run_time_resize(LowerContext& c, const RunTimeResize& r, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (IndexExpr d : c.shape(0)) result.push_back(index_value(c, d));
  const std::vector<Size> sizes = sizes_in_run(c, r);
  for (size_t k = 0; k < sizes.size(); ++k) {
    Scalar& to = result[size_t(r.axes[k])];
    const Scalar in = to, extent = sizes[k].extent, scale = sizes[k].scale;
    // An empty axis stays empty.
    const Scalar fits = extent >= 0.0 && extent <= double(kMaxResizedExtent) &&
                        (in == 0.0 || scale > 0.0 || extent == 0.0) && (in != 0.0 || extent == 0.0);
    to = valid_or_refused(c, select(fits, extent, extent.number(-1)).cast(DType::i64), {fits});
  }
  emit_dims(c, dims, result);
}

namespace {

// An axis and its table.
struct Resampled {
  RunTimeAxis axis;
  RunTimeTable table;
};

// The nest that reads `from` through the tables and stores into `to`.
void emit_pass(LowerContext& c, const RunTimeResize& r, ir::BufferId from, ir::BufferId to,
               const std::vector<Resampled>& axes, DType type, const std::function<Scalar(const At&, Scalar)>& finish) {
  ir::LoopNest nest;
  nest.loops = c.loops(c.program().buffer(to).shape);
  const At at = LowerContext::indices(nest.loops);
  const bool copies = r.mode.mode == Interpolation::nearest;
  std::vector<Gathered> gathered;
  std::optional<Scalar> factor;
  for (const auto& [axis, table] : axes) {
    At entry{IndexExpr(), at[size_t(axis.axis)]};
    if (!copies) {
      nest.reduced.push_back(c.loops({tap_count(axis, r.mode)}, "t")[0]);
      entry[0] = nest.reduced.back().var;
      const Scalar weight = load(c, table.weights, entry);
      factor = factor ? *factor * weight : weight;
    }
    gathered.push_back({axis.axis, load(c, table.positions, entry)});
  }
  Scalar value = load_gathered(c, from, at, gathered).cast(type);
  if (!copies) {
    nest.reductions.push_back({ir::ReduceOp::sum, type, factor ? value * *factor : value});
    value = scalar(c, c.exprs().accumulator(0, type));
  }
  nest.stores.push_back({to, at, finish(at, value)});
  c.emit(std::move(nest));
}

// The axes of each pass: axes are interpolated one at a time, starting with the contiguous one. Batches and channels,
// which are unchanged in most runs, are left to the last pass.
std::vector<std::vector<Resampled>> passes_of(const RunTimeResize& r, const std::vector<Resampled>& axes) {
  if (r.mode.mode == Interpolation::nearest || axes.size() < 2) return {axes};
  constexpr int kFirstOfImage = 2;
  std::vector<Resampled> ordered = axes;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.axis.axis > b.axis.axis; });
  std::vector<std::vector<Resampled>> passes;
  for (const Resampled& a : ordered)
    passes.empty() || a.axis.axis >= kFirstOfImage ? passes.push_back({a}) : passes.back().push_back(a);
  return passes;
}

}  // namespace

void lower_run_time_resize(LowerContext& c, const RunTimeResize& r) {
  std::vector<Scalar> conditions = r.conditions;
  const DType result = ir::value_type(c.dtype(0));
  const bool copies = r.mode.mode == Interpolation::nearest;
  const DType type = copies ? result : c.dtype(0) == DType::f64 ? DType::f64 : DType::f32;
  std::vector<Resampled> axes;
  for (const RunTimeAxis& a : axes_of(c, r, conditions)) axes.push_back({a, emit_table(c, a, r, type)});
  const auto finish = [&](const At& at, Scalar value) {
    std::optional<Scalar> outside;
    for (const Resampled& a : axes) {
      if (!crops(r)) continue;
      const Scalar out = load(c, a.table.outside, {at[size_t(a.axis.axis)]});
      outside = outside ? *outside || out : out;
    }
    if (outside) value = select(*outside, value.number(r.extrapolation), value);
    return checked(c, value.cast(result), conditions);
  };
  const auto passes = passes_of(r, axes);
  ir::BufferId from = c.input_buffer(0);
  Shape shape = c.shape(0);
  for (size_t i = 0; i + 1 < passes.size(); ++i) {
    for (const Resampled& a : passes[i]) shape[size_t(a.axis.axis)] = a.axis.out_extent;
    const ir::BufferId to = c.temporary(type, shape);
    emit_pass(c, r, from, to, passes[i], type, [](const At&, Scalar value) { return value; });
    from = to;
  }
  emit_pass(c, r, from, c.output_buffer(0), passes.back(), type, finish);
}

}  // namespace cppgen::ops
