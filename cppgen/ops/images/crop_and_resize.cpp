// CropAndResize of com.microsoft: x [N, C, H, W], regions [R, 4] as (y1, x1, y2, x2) in parts of the image, which one
// of the N images each belongs to, [R], and the size of the results; result [R, C, height, width].
#include "cppgen/ops/choice.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

bool is_nearest(InferContext& c) {
  return choice<bool>(c, "mode", "bilinear", {{"bilinear", false}, {"nearest", true}});
}

std::vector<int64_t> crop_size(InferContext& c) {
  const std::vector<int64_t> size = c.constant_ints(3);
  if (size.size() != 2 || size[0] < 1 || size[1] < 1) c.fail("crop_size must be two positive numbers");
  return size;
}

void infer_crop_and_resize(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32));
  require_same_dtype(c, 0, 1);
  require_dtype(c, 2, bit(DType::i32));
  require_dtype(c, 3, bit(DType::i32));
  require_rank(c, 0, 4, 4);
  require_rank(c, 1, 2, 2);
  require_rank(c, 2, 1, 1);
  require_equal(c, c.shape(1)[1], 4, "coordinates of a region and 4");
  const IndexExpr regions = require_equal(c, c.shape(1)[0], c.shape(2)[0], "regions and batch indices");
  for (int d : {2, 3}) require_at_most(c, 1, c.shape(0)[d], "the input has no elements to sample");
  is_nearest(c);
  const std::vector<int64_t> size = crop_size(c);
  const Shape to{regions, c.shape(0)[1], size[0], size[1]};
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

// The position of a cell of the result on an axis of the image, in pixels. The first and the last cell are the ends of
// the region; a single cell is its middle.
Scalar position(LowerContext& c, IndexExpr region, IndexExpr cell, int64_t cells, bool down) {
  const Scalar from = load_input(c, 1, {region, down ? 0 : 1}), to = load_input(c, 1, {region, down ? 2 : 3});
  const Scalar last = index_value(c, c.shape(0)[down ? 2 : 3], from.type()) - 1.0;
  if (cells == 1) return (from + to) * 0.5 * last;
  const Scalar step = (to - from) * last / double(cells - 1), own = index_value(c, cell, from.type());
  return select(own == double(cells - 1), to * last, from * last + own * step);
}

void lower_crop_and_resize(LowerContext& c) {
  const bool nearest = is_nearest(c);
  const std::vector<int64_t> size = crop_size(c);
  const double outside = c.number("extrapolation_value", 0);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    const Scalar image = load_input(c, 2, {at[0]});
    const Scalar y = position(c, at[0], at[2], size[0], true), x = position(c, at[0], at[3], size[1], false);
    const Scalar bottom = index_value(c, c.shape(0)[2], y.type()) - 1.0,
                 right = index_value(c, c.shape(0)[3], x.type()) - 1.0;
    const auto pixel = [&](Scalar row, Scalar column) {
      return load_gathered(c, c.input_buffer(0), {0, at[1], 0, 0},
                           {{0, image}, {2, min(max(row, 0.0), bottom)}, {3, min(max(column, 0.0), right)}});
    };
    const Scalar top = floor(y), left = floor(x), down = y - top, across = x - left;
    Scalar value = y;
    if (nearest) {  // halves go up
      value = pixel(top + select(down >= 0.5, down.number(1), down.number(0)),
                    left + select(across >= 0.5, across.number(1), across.number(0)));
    } else {
      const auto between = [](Scalar a, Scalar b, Scalar part) { return a + (b - a) * part; };
      value = between(between(pixel(top, left), pixel(top, ceil(x)), across),
                      between(pixel(ceil(y), left), pixel(ceil(y), ceil(x)), across), down);
    }
    return select(y >= 0.0 && y <= bottom && x >= 0.0 && x <= right, value, value.number(outside));
  });
}

}  // namespace

std::vector<Op> crop_ops() {
  return {
      {.name = "CropAndResize",
       .domain = "com.microsoft",
       .versions = {{1, "extrapolation_value:float mode:string"}},
       .inputs = 4,
       .infer = infer_crop_and_resize,
       .lower = lower_crop_and_resize},
  };
}

}  // namespace cppgen::ops
