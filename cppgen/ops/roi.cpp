#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/families.h"

namespace cppgen::ops {
namespace {

// --- RoiAlign: x [N, C, H, W], rois [R, 4] as (x1, y1, x2, y2), batch indices [R]; result [R, C, OH, OW]
using At = std::vector<IndexExpr>;

struct RoiAttributes {
  int64_t height, width, samples;  // of the output; samples along each axis of an output cell
  double scale;
  bool half_pixel, maximum;
};

RoiAttributes roi_attributes(InferContext& c) {
  RoiAttributes a{c.integer("output_height", 1),
                  c.integer("output_width", 1),
                  c.integer("sampling_ratio", 0),
                  c.number("spatial_scale", 1),
                  false,
                  false};
  if (a.height < 1 || a.width < 1) c.fail("output_height and output_width must be at least 1");
  if (a.samples < 1 || a.samples > 1024) {
    c.fail(fmt::format("sampling_ratio {} is not supported; allowed are 1 to 1024", a.samples));
  }
  std::string mode = c.text("mode", "avg");
  if (mode != "avg" && mode != "max") c.fail(fmt::format("attribute 'mode' is '{}'; allowed are avg, max", mode));
  a.maximum = mode == "max";
  std::string transform = c.text("coordinate_transformation_mode", c.opset() < 16 ? "output_half_pixel" : "half_pixel");
  a.half_pixel = transform == "half_pixel";
  if (!a.half_pixel && transform != "output_half_pixel") {
    c.fail(fmt::format("attribute 'coordinate_transformation_mode' is '{}'; allowed are half_pixel, output_half_pixel",
                       transform));
  }
  return a;
}

void infer_roi_align(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, 1);
  require_dtype(c, 2, bit(DType::i64));
  require_rank(c, 0, 4, 4);
  require_rank(c, 1, 2, 2);
  require_rank(c, 2, 1, 1);
  require_equal(c, c.shape(1)[1], 4, "coordinates of a region and 4");
  require_equal(c, c.shape(1)[0], c.shape(2)[0], "regions and batch indices");
  for (int d : {2, 3}) {
    if (c.shape(0)[d].is_constant(0)) c.fail("the input has no elements to sample");
  }
  RoiAttributes a = roi_attributes(c);
  Shape to = {c.shape(1)[0], c.shape(0)[1], a.height, a.width};
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

// Two neighbouring positions with their weights; `inside` is false where the sample does not count.
struct Sample {
  Scalar low, high, low_weight, high_weight, inside;
};

// Sample `s` of output position `o` along one axis, from the region's coordinates `first` and `last` of `rois`.
Sample sample_axis(LowerContext& c, const RoiAttributes& a, IndexExpr region, int64_t first, int64_t last, IndexExpr o,
                   IndexExpr s, int64_t outputs, IndexExpr extent, DType type) {
  double offset = a.half_pixel ? 0.5 : 0;
  Scalar start = load_input(c, 1, {region, first}) * a.scale - offset;
  Scalar end = load_input(c, 1, {region, last}) * a.scale - offset;
  Scalar length = a.half_pixel ? end - start : max(end - start, 1.0);
  Scalar cell = length / double(outputs), size = index_value(c, extent, type);
  Scalar place = (index_value(c, s, type) + 0.5) / double(a.samples);
  Scalar x = start + index_value(c, o, type) * cell + place * cell;
  Scalar inside = x >= -1.0 && x <= size;
  x = min(max(x, 0.0), size - 1.0);
  Scalar low = floor(x), high = min(low + 1.0, size - 1.0), fraction = x - low;
  return {low.cast(DType::i64), high.cast(DType::i64), 1.0 - fraction, fraction, inside};
}

void lower_roi_align(LowerContext& c) {
  RoiAttributes a = roi_attributes(c);
  const Shape& x = c.shape(0);
  DType type = ir::value_type(c.dtype(0));
  auto value = [&](const At& at, const At& s) {
    Sample row = sample_axis(c, a, at[0], 1, 3, at[2], s[0], a.height, x[2], type);
    Sample column = sample_axis(c, a, at[0], 0, 2, at[3], s[1], a.width, x[3], type);
    Scalar image = load_input(c, 2, {at[0]}), sum = number(c, type, 0);
    bool first = true;
    for (auto [r, rw] : {std::pair(row.low, row.low_weight), std::pair(row.high, row.high_weight)}) {
      for (auto [k, kw] : {std::pair(column.low, column.low_weight), std::pair(column.high, column.high_weight)}) {
        Scalar pixel = load_gathered(c, c.input_buffer(0), {0, at[1], 0, 0}, {{0, image}, {2, r}, {3, k}}) * rw * kw;
        // The maximum is taken over weighted corners, as the standard's data does.
        sum = first ? pixel : a.maximum ? max(sum, pixel) : sum + pixel;
        first = false;
      }
    }
    return select(row.inside && column.inside, sum, number(c, type, 0));
  };
  double count = double(a.samples * a.samples);
  emit_reduction(c, {"",
                     c.output_buffer(0),
                     {a.samples, a.samples},
                     a.maximum ? ir::ReduceOp::max : ir::ReduceOp::sum,
                     value,
                     [&](Scalar r) { return a.maximum ? r : r / count; }});
}

// --- MaxUnpool: values x and their positions in the whole result; everything else is 0

// What the attributes make of the pooled shape; positions count through this one.
Shape pooled_shape(InferContext& c) {
  const Shape& x = c.shape(0);
  size_t axes = x.size() - 2;
  std::vector<int64_t> ones(axes, 1), zeros(2 * axes, 0), kernel = c.integers("kernel_shape");
  std::vector<int64_t> strides = c.integers("strides", ones), pads = c.integers("pads", zeros);
  if (kernel.size() != axes || strides.size() != axes || pads.size() != 2 * axes) {
    c.fail(fmt::format("kernel_shape, strides and pads must have {}, {} and {} values", axes, axes, 2 * axes));
  }
  Shape to = {x[0], x[1]};
  for (size_t d = 0; d < axes; ++d) {
    IndexExpr reach = (x[d + 2] - 1) * IndexExpr(strides[d]) + IndexExpr(kernel[d]);
    to.push_back(reach - IndexExpr(pads[d]) - IndexExpr(pads[d + axes]));
  }
  return to;
}

Shape unpooled_shape(InferContext& c) {
  Shape to = pooled_shape(c);
  if (!c.has_input(2)) return to;
  const int64_t entries = element_count(c, 2);
  if (entries != int64_t(to.size()))
    c.fail(fmt::format("the output shape has {} entries for {} dimensions", entries, to.size()));
  if (const auto* known = c.contents(2)) return *known;
  PartialShape partial(to.size());
  partial[0] = to[0], partial[1] = to[1];
  to = require_declared(c, 2, "the output shape", partial);
  require_rank(c, 0, int(to.size()), int(to.size()));
  return to;
}

// What a run's output shape must be.
std::vector<Scalar> agrees_with_output_shape(LowerContext& c) {
  std::vector<Scalar> conditions;
  const Shape& to = c.output(0).shape;
  for (size_t d = 0; is_run_time(c, 2) && d < to.size(); ++d)
    conditions.push_back(integer_element(c, 2, int64_t(d)) == index_value(c, to[d]));
  return conditions;
}

void resolve_max_unpool(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (size_t d = 0; d < c.shape(0).size(); ++d) {
    const Scalar asked = integer_element(c, 2, int64_t(d));
    result.push_back(d < 2 ? valid_or_refused(c, asked, {asked == index_value(c, c.shape(0)[d])}) : asked);
  }
  emit_dims(c, dims, result);
}

void infer_max_unpool(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_dtype(c, 1, bit(DType::i64));
  require_rank(c, 0, 3, -1);
  require_rank(c, 1, int(c.shape(0).size()), int(c.shape(0).size()));
  for (size_t d = 0; d < c.shape(0).size(); ++d) {
    require_equal(c, c.shape(0)[d], c.shape(1)[d], "dimensions of values and positions");
  }
  Shape to = unpooled_shape(c);
  require_size(c, to, c.dtype(0));
  for (int d : {0, 1}) require_equal(c, to[d], c.shape(0)[d], "batch and channels of input and output");
  c.set_output(0, c.dtype(0), to);
}

// Each element looks for the position that is aimed at it; a greater output shape adds zeros at the ends.
void lower_max_unpool(LowerContext& c) {
  const Shape& x = c.shape(0);
  Shape pooled = pooled_shape(c);
  DType type = ir::value_type(c.dtype(0));
  emit_reduction(c, {"", c.output_buffer(0), Shape(x.begin() + 2, x.end()), ir::ReduceOp::sum,
                     [&](const At& at, const At& inner) {
                       At from = {at[0], at[1]};
                       from.insert(from.end(), inner.begin(), inner.end());
                       IndexExpr here;
                       Scalar hit = number(c, DType::boolean, 1);
                       for (size_t d = 0; d < at.size(); ++d) {
                         here = here * pooled[d] + at[d];
                         if (!ir::prove_less(at[d], pooled[d])) {
                           hit = hit && index_value(c, at[d]) < index_value(c, pooled[d]);
                         }
                       }
                       hit = hit && load_input(c, 1, from) == index_value(c, here);
                       return select(hit, load_input(c, 0, from), number(c, type, 0));
                     },
                     [&](Scalar found) { return checked(c, found, agrees_with_output_shape(c)); }});
}

}  // namespace

void add_roi_ops(std::vector<Op>& t) {
  add_versions(t, "RoiAlign", {10, 16, 22}, {3, 3, 1}, infer_roi_align, lower_roi_align);
  add_versions(t, "MaxUnpool", {9, 11, 22}, {2, 3, 1}, infer_max_unpool, lower_max_unpool);
  set_resolve(t, "MaxUnpool", resolve_max_unpool);
}

}  // namespace cppgen::ops
