#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/resize_run_time.h"
#include "cppgen/ops/resize_table.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

constexpr int64_t kMaxExtent = int64_t(1) << 24;  // of a resized axis: tables stay small

struct ResizePlan {
  Shape output;
  std::vector<ResizeAxis> axes;  // those that change
  ResizeMode mode;
  double extrapolation = 0;
};

std::string choice(InferContext& c, const char* name, const char* otherwise,
                   std::initializer_list<const char*> allowed) {
  std::string value = c.text(name, otherwise), list;
  for (const char* a : allowed) {
    if (value == a) return value;
    list += (list.empty() ? "" : ", ") + std::string(a);
  }
  c.fail(fmt::format("attribute '{}' is '{}'; allowed are {}", name, value, list));
}

ResizeMode mode_of(InferContext& c) {
  ResizeMode m;
  m.mode = choice(c, "mode", "nearest", {"nearest", "linear", "bilinear", "cubic"});
  if (m.mode == "bilinear") m.mode = "linear";
  if (c.opset() < 11 || c.node().op == "Upsample") {
    m.coordinates = "asymmetric";
    m.nearest = "floor";
    return m;
  }
  m.coordinates = choice(c, "coordinate_transformation_mode", "half_pixel",
                         {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                          "tf_half_pixel_for_nn", "tf_crop_and_resize"});
  m.nearest =
      choice(c, "nearest_mode", "round_prefer_floor", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  m.cubic_a = c.number("cubic_coeff_a", -0.75f);
  m.exclude_outside = c.integer("exclude_outside", 0) != 0;
  m.antialias = c.integer("antialias", 0) != 0;
  return m;
}

// Scales of all dimensions from the attribute or input that this version has; empty if there are none.
std::vector<double> given_scales(InferContext& c) {
  if (c.node().op == "Upsample" && c.opset() < 7) {
    return {1, 1, c.number("height_scale", 1), c.number("width_scale", 1)};
  }
  if (const Attribute* a = c.attribute("scales")) {
    if (auto* values = std::get_if<std::vector<float>>(a)) return {values->begin(), values->end()};
    c.fail("attribute 'scales' is not a list of floats");
  }
  int input = c.opset() < 11 || c.node().op == "Upsample" ? 1 : 2;
  if (!c.has_input(input)) return {};
  if (c.shape(input).size() == 1 && c.shape(input)[0].is_constant(0)) return {};
  return float_elements(c, input);
}

std::vector<int> resized_axes(InferContext& c, size_t rank) {
  std::vector<int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  std::vector<int64_t> given = c.opset() >= 18 ? c.integers("axes", all) : all;
  normalized_axes(c, given, int(rank));
  std::vector<int> out;
  for (int64_t a : given) out.push_back(normalized_axis(c, a, int(rank)));
  return out;
}

// Sizes from input 3 become extents and scales; the policies change sizes so that all axes have one scale.
void plan_sizes(InferContext& c, const std::vector<int>& axes, ResizePlan& plan) {
  std::string policy = choice(c, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"});
  Shape declared;
  const std::vector<IndexExpr>* sizes = c.contents(3);
  if (!sizes && policy == "stretch") {
    Shape to = require_declared(c, 3, "the sizes");
    require_rank(c, 0, int(to.size()), int(to.size()));
    for (size_t d = 0; d < to.size(); ++d)
      if (std::find(axes.begin(), axes.end(), int(d)) == axes.end())
        require_equal(c, to[d], c.shape(0)[d], "a declared dimension and one that is not resized");
    for (int axis : axes) declared.push_back(to[size_t(axis)]);
    if (element_count(c, 3) == int64_t(axes.size())) sizes = &declared;
  }
  if (!sizes || sizes->size() != axes.size())
    c.fail(fmt::format("input 3 (the sizes) must be {} known integers", axes.size()));
  std::vector<ResizeAxis> changed;
  for (size_t k = 0; k < axes.size(); ++k) {
    IndexExpr in = c.shape(0)[axes[k]], out = (*sizes)[k];
    bool crops = plan.mode.coordinates == "tf_crop_and_resize";
    if (ir::prove_equal(in, out) && !crops && policy == "stretch") continue;
    ResizeAxis a{axes[k], constant_dim(c, in, "a resized dimension"), constant_dim(c, out, "a size"), 1};
    if (a.in < 1 || a.out < 0 || a.out > kMaxExtent) c.fail(fmt::format("dimension {}: {} to {}", a.axis, a.in, a.out));
    a.scale = double(a.out) / double(a.in);
    changed.push_back(a);
  }
  auto by_scale = [](const ResizeAxis& a, const ResizeAxis& b) { return a.scale < b.scale; };
  if (policy != "stretch" && !changed.empty()) {
    double scale = policy == "not_larger" ? std::min_element(changed.begin(), changed.end(), by_scale)->scale
                                          : std::max_element(changed.begin(), changed.end(), by_scale)->scale;
    for (ResizeAxis& a : changed) a.scale = scale, a.out = int64_t(std::floor(scale * double(a.in) + 0.5));
  }
  plan.axes = changed;
}

void plan_scales(InferContext& c, const std::vector<int>& axes, const std::vector<double>& scales, ResizePlan& plan) {
  if (scales.size() != axes.size()) c.fail(fmt::format("{} scales for {} dimensions", scales.size(), axes.size()));
  bool crops = plan.mode.coordinates == "tf_crop_and_resize";
  for (size_t k = 0; k < axes.size(); ++k) {
    if (!(scales[k] > 0) || !std::isfinite(scales[k])) c.fail(fmt::format("scale {} is not allowed", scales[k]));
    if (scales[k] == 1 && !crops) continue;
    int64_t in = constant_dim(c, c.shape(0)[axes[k]], "a resized dimension");
    double extent = std::floor(double(in) * scales[k]);
    if (in < 1 || extent > double(kMaxExtent)) c.fail(fmt::format("dimension {}: {} times {}", axes[k], in, scales[k]));
    plan.axes.push_back({axes[k], in, int64_t(extent), scales[k]});
  }
}

void read_roi(InferContext& c, const std::vector<int>& axes, ResizePlan& plan) {
  if (plan.mode.coordinates != "tf_crop_and_resize") return;
  std::vector<double> roi = float_elements(c, 1);
  if (roi.size() != 2 * axes.size())
    c.fail(fmt::format("the roi has {} values for {} dimensions", roi.size(), axes.size()));
  for (ResizeAxis& a : plan.axes) {
    size_t k = size_t(std::find(axes.begin(), axes.end(), a.axis) - axes.begin());
    a.roi_start = roi[k], a.roi_end = roi[k + axes.size()];
  }
}

ResizePlan resize_plan(InferContext& c) {
  ResizePlan plan;
  plan.mode = mode_of(c);
  plan.output = c.shape(0);
  plan.extrapolation = c.number("extrapolation_value", 0);
  std::vector<int> axes = resized_axes(c, c.shape(0).size());
  std::vector<double> scales = given_scales(c);
  if (c.has_input(3) == !scales.empty()) c.fail("exactly one of scales and sizes must be given");
  scales.empty() ? plan_sizes(c, axes, plan) : plan_scales(c, axes, scales, plan);
  read_roi(c, axes, plan);
  for (const ResizeAxis& a : plan.axes) plan.output[a.axis] = a.out;
  require_size(c, plan.output, c.dtype(0));
  return plan;
}

// Whether the extents before and after are constants where they differ.
bool has_constant_extents(InferContext& c, const RunTimeResize& r, const std::vector<IndexExpr>* sizes) {
  for (size_t k = 0; k < r.axes.size(); ++k) {
    const IndexExpr in = c.shape(0)[size_t(r.axes[k])];
    const bool resampled = sizes ? !ir::prove_equal(in, (*sizes)[k]) : r.scales.empty() || r.scales[k] != 1;
    if (resampled && (!in.is_constant() || (sizes && !(*sizes)[k].is_constant()))) return false;
  }
  return true;
}

// Set if only a run knows the scales, the regions or the extents.
std::optional<RunTimeResize> run_time_resize(InferContext& c) {
  const bool old = c.opset() < 11 || c.node().op == "Upsample";
  const int scales = c.has("scales") || (c.node().op == "Upsample" && c.opset() < 9) ? -1 : old ? 1 : 2;
  RunTimeResize r{mode_of(c), resized_axes(c, c.shape(0).size()), -1, {}, c.number("extrapolation_value", 0), {}};
  const bool crops = r.mode.coordinates == "tf_crop_and_resize" && is_run_time(c, 1);
  const bool stretches = c.text("keep_aspect_ratio_policy", "stretch") == "stretch";
  if (scales > 0 && is_run_time(c, scales)) {
    r.scales_input = scales;
    return r;
  }
  r.scales = given_scales(c);
  if (c.has_input(3) == !r.scales.empty() || (!r.scales.empty() && r.scales.size() != r.axes.size()) || !stretches)
    return std::nullopt;  // resize_plan says what is wrong
  const std::vector<IndexExpr>* sizes = r.scales.empty() ? c.contents(3) : nullptr;
  if (sizes && sizes->size() != r.axes.size()) return std::nullopt;
  const bool decided = !r.scales.empty() || sizes || declared_shape(c, 0);
  const bool fixed = decided && !crops && has_constant_extents(c, r, sizes);
  return fixed ? std::nullopt : std::optional(r);
}

void infer_resize(InferContext& c) {
  require_dtype(c, 0, kAll);
  if (auto r = run_time_resize(c)) {
    if (r->mode.mode != "nearest") require_dtype(c, 0, kNumbers);
    return infer_run_time_resize(c, *r);
  }
  ResizePlan plan = resize_plan(c);
  if (plan.mode.mode != "nearest") require_dtype(c, 0, kNumbers);
  c.set_output(0, c.dtype(0), plan.output);
}

Scalar outside_of(LowerContext& c, const std::vector<ResizeTable>& tables, const ResizePlan& plan, const At& at,
                  Scalar value) {
  for (size_t k = 0; k < plan.axes.size(); ++k) {
    const std::vector<bool>& outside = tables[k].outside;
    if (std::find(outside.begin(), outside.end(), true) == outside.end()) continue;
    std::vector<int64_t> flags(outside.begin(), outside.end());
    ir::BufferId table = c.constant_buffer(tensor_of(flags, {plan.axes[k].out}));
    value = select(load(c, table, {at[plan.axes[k].axis]}) != 0.0, value.number(plan.extrapolation), value);
  }
  return value;
}

// Sizes that only a run knows must be the declared ones.
std::vector<Scalar> agrees_with_sizes(LowerContext& c) {
  std::vector<Scalar> conditions;
  if (!is_run_time(c, 3)) return conditions;
  std::vector<int> axes = resized_axes(c, c.shape(0).size());
  for (size_t k = 0; k < axes.size(); ++k)
    conditions.push_back(integer_element(c, 3, int64_t(k)) == index_value(c, c.output(0).shape[size_t(axes[k])]));
  return conditions;
}

void lower_nearest(LowerContext& c, const ResizePlan& plan, const std::vector<ResizeTable>& tables) {
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    At from = at;
    std::vector<Gathered> gathered;
    for (size_t k = 0; k < plan.axes.size(); ++k) {
      const ResizeAxis& a = plan.axes[k];
      if (is_repetition(a, tables[k])) {
        from[a.axis] = floordiv(at[a.axis], a.out / a.in);
        continue;
      }
      ir::BufferId table = c.constant_buffer(tensor_of(tables[k].positions, {a.out}));
      gathered.push_back({a.axis, load(c, table, {at[a.axis]})});
    }
    Scalar value = load_gathered(c, c.input_buffer(0), from, gathered);
    return checked(c, outside_of(c, tables, plan, at, value), agrees_with_sizes(c));
  });
}

// A sum over the taps of all axes of input x weights.
void lower_interpolation(LowerContext& c, const ResizePlan& plan, const std::vector<ResizeTable>& tables) {
  DType type = c.dtype(0) == DType::f64 ? DType::f64 : DType::f32, result = ir::value_type(c.dtype(0));
  ir::LoopNest nest;
  nest.loops = c.loops(plan.output);
  At at = LowerContext::indices(nest.loops), from = at;
  std::vector<Gathered> gathered;
  std::vector<Scalar> weights;
  for (size_t k = 0; k < plan.axes.size(); ++k) {
    const ResizeAxis& a = plan.axes[k];
    nest.reduced.push_back(c.loops({tables[k].taps}, "t")[0]);
    At entry = {at[a.axis], nest.reduced.back().var};
    ir::BufferId positions = c.constant_buffer(tensor_of(tables[k].positions, {a.out, tables[k].taps}));
    ir::BufferId factors = c.constant_buffer(tensor_of(type, tables[k].weights, {a.out, tables[k].taps}));
    gathered.push_back({a.axis, load(c, positions, entry)});
    weights.push_back(load(c, factors, entry));
  }
  Scalar value = load_gathered(c, c.input_buffer(0), from, gathered).cast(type);
  for (const Scalar& w : weights) value = value * w;
  nest.reductions.push_back({ir::ReduceOp::sum, type, value});
  Scalar sum = outside_of(c, tables, plan, at, scalar(c, c.exprs().accumulator(0, type)));
  Scalar value_at = checked(c, sum.cast(result), agrees_with_sizes(c));
  nest.stores.push_back({c.output_buffer(0), at, value_at, {}});
  c.emit(std::move(nest));
}

void lower_resize(LowerContext& c) {
  if (auto r = run_time_resize(c)) {
    r->conditions = agrees_with_sizes(c);
    return lower_run_time_resize(c, *r);
  }
  ResizePlan plan = resize_plan(c);
  std::vector<ResizeTable> tables;
  for (const ResizeAxis& a : plan.axes) tables.push_back(make_resize_table(a, plan.mode));
  bool copies = plan.axes.empty() || plan.mode.mode == "nearest" || is_zero_sized(plan.output);
  copies ? lower_nearest(c, plan, tables) : lower_interpolation(c, plan, tables);
}

}  // namespace

void resolve_resize(LowerContext& c, ir::BufferId dims) {
  const auto r = run_time_resize(c);
  if (!r) c.fail("its dimensions are known");
  resolve_run_time_resize(c, *r, dims);
}

void add_resize_ops(std::vector<Op>& t) {
  add_versions(t, "Upsample", {1, 7, 9}, {1, 2, 1}, infer_resize, lower_resize);
  add_versions(t, "Resize", {10, 11, 13, 18, 19}, {1, 4, 1}, infer_resize, lower_resize);
  for (const char* name : {"Upsample", "Resize"}) set_resolve(t, name, resolve_resize);
}

}  // namespace cppgen::ops
