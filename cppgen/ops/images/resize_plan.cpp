#include "cppgen/ops/images/resize_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cppgen/ops/choice.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/images/resize_formulas.h"

namespace cppgen::ops {
ResizeMode resize_mode(InferContext& c) {
  ResizeMode m;
  m.mode = choice<Interpolation>(c, "mode", "nearest",
                                 {{"nearest", Interpolation::nearest},
                                  {"linear", Interpolation::linear},
                                  {"bilinear", Interpolation::linear},
                                  {"cubic", Interpolation::cubic}});
  if (c.opset() < 11 || c.node().op == "Upsample") {
    m.coordinates = Coordinates::asymmetric;
    m.nearest = c.node().op == "Upsample" ? NearestMode::floor : NearestMode::by_scale;
    return m;
  }
  using enum Coordinates;
  m.coordinates = choice<Coordinates>(c, "coordinate_transformation_mode", "half_pixel",
                                      {{"half_pixel", half_pixel},
                                       {"half_pixel_symmetric", half_pixel_symmetric},
                                       {"pytorch_half_pixel", pytorch_half_pixel},
                                       {"align_corners", align_corners},
                                       {"asymmetric", asymmetric},
                                       {"tf_half_pixel_for_nn", tf_half_pixel_for_nn},
                                       {"tf_crop_and_resize", tf_crop_and_resize}});
  m.nearest = choice<NearestMode>(c, "nearest_mode", "round_prefer_floor",
                                  {{"round_prefer_floor", NearestMode::round_prefer_floor},
                                   {"round_prefer_ceil", NearestMode::round_prefer_ceil},
                                   {"floor", NearestMode::floor},
                                   {"ceil", NearestMode::ceil}});
  m.cubic_a = c.number("cubic_coeff_a", -0.75f);
  m.exclude_outside = c.integer("exclude_outside", 0) != 0;
  m.antialias = c.integer("antialias", 0) != 0;
  return m;
}

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

ResizePolicy resize_policy(InferContext& c) {
  using enum ResizePolicy;
  return choice<ResizePolicy>(c, "keep_aspect_ratio_policy", "stretch",
                              {{"stretch", stretch}, {"not_larger", not_larger}, {"not_smaller", not_smaller}});
}

namespace {

bool is_less(const ScaleRatio& a, const ScaleRatio& b) { return __int128{a.up} * b.down < __int128{b.up} * a.down; }

// Gives all axes the least or the greatest of their scales.
void apply_policy(InferContext& c, ResizePolicy policy, std::vector<ResizeAxis>& axes) {
  if (policy == ResizePolicy::stretch || axes.empty()) return;
  ScaleRatio common = *axes[0].ratio;
  for (const ResizeAxis& a : axes)
    if (policy == ResizePolicy::not_larger ? is_less(*a.ratio, common) : is_less(common, *a.ratio)) common = *a.ratio;
  using N = Known<double>;
  for (ResizeAxis& a : axes) {
    const double out = rounded_size(N{double(a.in)}, N{double(common.up)}, N{double(common.down)}).value;
    if (out > double(kMaxResizedExtent)) c.fail(fmt::format("dimension {}: {} to {}", a.axis, a.in, out));
    a.ratio = common, a.out = int64_t(out);
  }
}

// Sizes from input 3 become extents and scales; the policies change sizes so that all axes have one scale.
void plan_sizes(InferContext& c, const std::vector<int>& axes, ResizePlan& plan) {
  const ResizePolicy policy = resize_policy(c);
  Shape declared;
  const std::vector<IndexExpr>* sizes = c.contents(3);
  if (!sizes && policy == ResizePolicy::stretch) {
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
    bool crops = plan.mode.coordinates == Coordinates::tf_crop_and_resize;
    if (ir::prove_equal(in, out) && !crops && policy == ResizePolicy::stretch) continue;
    ResizeAxis a{axes[k], constant_dim(c, in, "a resized dimension"), constant_dim(c, out, "a size"), 1};
    if (a.in < 1 || a.out < 0 || a.out > kMaxResizedExtent)
      c.fail(fmt::format("dimension {}: {} to {}", a.axis, a.in, a.out));
    a.ratio = ScaleRatio{a.out, a.in};
    changed.push_back(a);
  }
  apply_policy(c, policy, changed);
  for (ResizeAxis& a : changed) a.scale = double(a.ratio->up) / double(a.ratio->down);
  plan.axes = changed;
}

void plan_scales(InferContext& c, const std::vector<int>& axes, const std::vector<double>& scales, ResizePlan& plan) {
  if (scales.size() != axes.size())
    c.fail(fmt::format("there are {} scales for {} dimensions", scales.size(), axes.size()));
  bool crops = plan.mode.coordinates == Coordinates::tf_crop_and_resize;
  for (size_t k = 0; k < axes.size(); ++k) {
    if (!(scales[k] > 0) || !std::isfinite(scales[k])) c.fail(fmt::format("scale {} is not allowed", scales[k]));
    if (scales[k] == 1 && !crops) continue;
    int64_t in = constant_dim(c, c.shape(0)[axes[k]], "a resized dimension");
    double extent = std::floor(float(in) * float(scales[k]));
    if (extent > double(kMaxResizedExtent)) c.fail(fmt::format("dimension {}: {} times {}", axes[k], in, scales[k]));
    plan.axes.push_back({axes[k], in, int64_t(extent), scales[k]});
  }
}

void read_roi(InferContext& c, const std::vector<int>& axes, ResizePlan& plan) {
  if (plan.mode.coordinates != Coordinates::tf_crop_and_resize) return;
  std::vector<double> roi = float_elements(c, 1);
  if (roi.size() != 2 * axes.size())
    c.fail(fmt::format("the roi has {} values for {} dimensions", roi.size(), axes.size()));
  for (ResizeAxis& a : plan.axes) {
    size_t k = size_t(std::find(axes.begin(), axes.end(), a.axis) - axes.begin());
    a.roi_start = roi[k], a.roi_end = roi[k + axes.size()];
  }
}

}  // namespace

ResizePlan resize_plan(InferContext& c) {
  ResizePlan plan;
  plan.mode = resize_mode(c);
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

}  // namespace cppgen::ops
