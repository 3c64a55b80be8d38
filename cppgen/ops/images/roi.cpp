// RoiAlign: x [N, C, H, W], rois [R, 4] as (x1, y1, x2, y2), batch indices [R]; result [R, C, OH, OW].
#include "cppgen/ops/choice.h"
#include "cppgen/ops/library_calls.h"
#include "runtime/plan/calls/roi_align.h"

namespace cppgen::ops {
namespace {

struct RoiAttributes {
  int64_t height, width,
      samples;  // of the output; along each axis of a cell of it, 0: as many as pixels that it covers
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
  if (a.samples < 0 || a.samples > 1024)
    c.fail(fmt::format("sampling_ratio {} is not supported; allowed are 0 to 1024", a.samples));
  a.maximum = choice<bool>(c, "mode", "avg", {{"avg", false}, {"max", true}});
  a.half_pixel = choice<bool>(c, "coordinate_transformation_mode", c.opset() < 16 ? "output_half_pixel" : "half_pixel",
                              {{"half_pixel", true}, {"output_half_pixel", false}});
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
  for (int d : {2, 3}) require_at_most(c, 1, c.shape(0)[d], "the input has no elements to sample");
  RoiAttributes a = roi_attributes(c);
  Shape to = {c.shape(1)[0], c.shape(0)[1], a.height, a.width};
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

// One axis of a region, in pixels: where its cells begin, how long each is and how many samples it has.
struct CellAxis {
  Scalar start, length, samples;
  IndexExpr extent;  // of the image

  Scalar size() const { return scalar_of(extent); }
  Scalar scalar_of(IndexExpr e) const { return Scalar{start.arena, start.arena->index(e)}.cast(start.type()); }
  Scalar position(IndexExpr cell, Scalar sample) const {
    return start + scalar_of(cell) * length + (sample + 0.5) * length / samples;
  }
  Scalar inside(Scalar position) const { return position >= -1.0 && position <= size(); }
};

// Makes an axis from the region's coordinates `first` and `last`.
CellAxis cell_axis(LowerContext& c, const RoiAttributes& a, IndexExpr region, bool down) {
  const int64_t first = down ? 1 : 0, cells = down ? a.height : a.width;
  const double offset = a.half_pixel ? 0.5 : 0;
  Scalar start = load_input(c, 1, {region, first}) * a.scale - offset;
  Scalar end = load_input(c, 1, {region, first + 2}) * a.scale - offset;
  Scalar length = (a.half_pixel ? end - start : max(end - start, 1.0)) / double(cells);
  Scalar samples = a.samples > 0 ? start.number(double(a.samples)) : ceil(length);
  return {start, length, samples, c.shape(0)[down ? 2 : 3]};
}

// The two pixels around a position, whole numbers, with their weights.
struct Neighbours {
  Scalar low, high, low_weight, high_weight;
};
Neighbours neighbours(const CellAxis& axis, Scalar position) {
  Scalar x = min(max(position, 0.0), axis.size() - 1.0), low = floor(x), fraction = x - low;
  return {low, min(low + 1.0, axis.size() - 1.0), 1.0 - fraction, fraction};
}

// Samples of a number that is known are taken one by one.
void lower_fixed_samples(LowerContext& c, const RoiAttributes& a) {
  DType type = ir::value_type(c.dtype(0));
  auto value = [&](const At& at, const At& s) {
    const CellAxis down = cell_axis(c, a, at[0], true), across = cell_axis(c, a, at[0], false);
    const Scalar y = down.position(at[2], down.scalar_of(s[0])), x = across.position(at[3], across.scalar_of(s[1]));
    const Neighbours row = neighbours(down, y), column = neighbours(across, x);
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
    return select(down.inside(y) && across.inside(x), sum, number(c, type, 0));
  };
  double count = double(a.samples * a.samples);
  emit_reduction(c, {"",
                     c.output_buffer(0),
                     {a.samples, a.samples},
                     a.maximum ? ir::ReduceOp::max : ir::ReduceOp::sum,
                     value,
                     [&](Scalar r) { return a.maximum ? r : r / count; }});
}

// Where a cell has as many samples as pixels that it covers, these are between half a pixel and one apart if there are
// several. So at most five of them weigh one pixel; we look at these and some more, for coordinates are rounded.
constexpr int64_t kNearSamples = 8;

// weights[region, cell, pixel] of the samples of a cell along one axis: their sum, or the greatest (-1: no sample
// weighs the pixel) or the least one.
ir::BufferId emit_weights(LowerContext& c, const RoiAttributes& a, bool down, ir::ReduceOp op) {
  const int64_t cells = down ? a.height : a.width;
  const double none = op == ir::ReduceOp::sum ? 0 : op == ir::ReduceOp::max ? -1 : 2;
  auto combined = [&](Scalar x, Scalar y) {
    return op == ir::ReduceOp::sum ? x + y : op == ir::ReduceOp::max ? max(x, y) : min(x, y);
  };
  const ir::BufferId weights =
      c.temporary(ir::value_type(c.dtype(0)), {c.shape(1)[0], cells, c.shape(0)[down ? 2 : 3]});
  auto value = [&](const At& at, const At& near) {
    const CellAxis axis = cell_axis(c, a, at[0], down);
    const Scalar pixel = axis.scalar_of(at[2]);
    const Scalar before = pixel - 1.0 - (axis.start + axis.scalar_of(at[1]) * axis.length);
    const Scalar first = floor(before / (axis.length / axis.samples) - 0.5) - 1.0;
    const Scalar sample = max(min(first, axis.samples - double(kNearSamples)), 0.0) + axis.scalar_of(near[0]);
    const Scalar position = axis.position(at[1], sample);
    const Neighbours n = neighbours(axis, position);
    const Scalar no_weight = pixel.number(none);
    const Scalar weight =
        combined(select(n.low == pixel, n.low_weight, no_weight), select(n.high == pixel, n.high_weight, no_weight));
    return select(sample < axis.samples && axis.inside(position), weight, no_weight);
  };
  emit_reduction(c, {"weights", weights, {kNearSamples}, op, value, nullptr});
  return weights;
}

// The loops run over pixels, whose weights express the samples.
void lower_adaptive_samples(LowerContext& c, const RoiAttributes& a) {
  const Shape& x = c.shape(0);
  const DType type = ir::value_type(c.dtype(0));
  using ir::ReduceOp;
  ir::BufferId greatest[2], others[2];
  for (bool down : {true, false}) {
    greatest[down] = emit_weights(c, a, down, ReduceOp::max);
    others[down] = emit_weights(c, a, down, a.maximum ? ReduceOp::min : ReduceOp::sum);
  }
  auto value = [&](const At& at, const At& pixel) {
    auto weight = [&](const ir::BufferId* of) {
      return std::pair(load(c, of[1], {at[0], at[2], pixel[0]}), load(c, of[0], {at[0], at[3], pixel[1]}));
    };
    const auto [row, column] = weight(greatest);
    const auto [other_row, other_column] = weight(others);
    const Scalar own =
        load_gathered(c, c.input_buffer(0), {0, at[1], pixel[0], pixel[1]}, {{0, load_input(c, 2, {at[0]})}});
    Scalar weighed = own * other_row * other_column;
    if (a.maximum) weighed = max(weighed, own * row * column);
    return select(row >= 0.0 && column >= 0.0, weighed, a.maximum ? lowest(c, type) : number(c, type, 0));
  };
  const ir::BufferId cells = c.temporary(type, c.output(0).shape);
  emit_reduction(c, {"pixels", cells, {x[2], x[3]}, a.maximum ? ReduceOp::max : ReduceOp::sum, value, nullptr});
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    const CellAxis down = cell_axis(c, a, at[0], true), across = cell_axis(c, a, at[0], false);
    const Scalar found = load(c, cells, at), zero = number(c, type, 0);
    const Scalar sampled = down.samples >= 1.0 && across.samples >= 1.0;
    if (!a.maximum) return select(sampled, found / (down.samples * across.samples), zero);
    Scalar inside = sampled;
    for (const auto& [axis, cell] : {std::pair(down, at[2]), std::pair(across, at[3])})
      for (const Scalar& sample : {zero, axis.samples - 1.0})
        inside = inside && axis.inside(axis.position(cell, sample));
    return select(inside, found, max(found, 0.0));
  });
}

void emit_roi_align_call(LowerContext& c, const RoiAttributes& a) {
  const Shape &x = c.shape(0), &y = c.output(0).shape;
  const DType type = ir::value_type(c.dtype(0));
  const ir::BufferId images = c.temporary(type, {x[0], x[2], x[3], x[1]});
  c.emit_pointwise(
      images,
      [&](const At& at) {
        return load_input(c, 0, {at[0], at[3], at[1], at[2]});
      },
      "channels_last");
  const ir::BufferId regions = emit_as(c, c.input_buffer(1), type, "widened"), result = result_as(c, 0, type);
  const rt::RoiAlignCall<IndexExpr> call{.type = type,
                                         .images = x[0],
                                         .height = x[2],
                                         .width = x[3],
                                         .channels = x[1],
                                         .regions = y[0],
                                         .cell_rows = y[2],
                                         .cell_columns = y[3],
                                         .samples = a.samples,
                                         .greatest = a.maximum,
                                         .half_pixel = a.half_pixel,
                                         .scale = a.scale};
  c.emit(library_call(rt::kRoiAlign, call, {images, regions, c.input_buffer(2)}, {result}));
  emit_result(c, result, 0);
}

void lower_roi_align(LowerContext& c) {
  const RoiAttributes a = roi_attributes(c);
  if (c.uses_library() && !is_zero_sized(c.output(0).shape)) return emit_roi_align_call(c, a);
  a.samples > 0 ? lower_fixed_samples(c, a) : lower_adaptive_samples(c, a);
}

}  // namespace

std::vector<Op> roi_ops() {
  return {
      {.name = "RoiAlign",
       .versions = {{10, "mode:string output_height:int output_width:int sampling_ratio:int spatial_scale:float"},
                    {16, "coordinate_transformation_mode:string"},
                    22},
       .inputs = 3,
       .infer = infer_roi_align,
       .lower = lower_roi_align},
  };
}

}  // namespace cppgen::ops
