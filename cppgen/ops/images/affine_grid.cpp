// Operators that receive the size of their result: AffineGrid, CenterCropPad.
#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

// --- AffineGrid: theta [N, axes, axes + 1] times the centres (or corners) of the elements of `size` [N, C, spatial..]

// [N, C, spatial..]; of a size that only a run knows with any C.
Shape affine_size(InferContext& c) {
  const int64_t entries = element_count(c, 1);
  if (entries != 4 && entries != 5) c.fail(fmt::format("the size has {} numbers, not 4 or 5", entries));
  if (const auto* known = c.contents(1)) return *known;
  PartialShape partial(static_cast<size_t>(entries));
  partial[0] = c.shape(0)[0], partial.back() = entries - 2;
  const Shape to = require_declared(c, 1, "the size", partial);
  if (int64_t(to.size()) != entries) c.fail(fmt::format("the declared shape {} has a different rank", to_string(to)));
  Shape size{to[0], IndexExpr(int64_t(1))};
  size.insert(size.end(), to.begin() + 1, to.end() - 1);
  return size;
}

std::vector<Scalar> agrees_with_affine_size(LowerContext& c) {
  std::vector<Scalar> conditions;
  const Shape& to = c.output(0).shape;
  for (size_t k = 0; is_run_time(c, 1) && k + 1 < to.size(); ++k)
    conditions.push_back(integer_element(c, 1, int64_t(k == 0 ? 0 : k + 1)) == index_value(c, to[k]));
  return conditions;
}

void resolve_affine_grid(LowerContext& c, ir::BufferId dims) {
  const int64_t entries = element_count(c, 1);
  const Scalar batch = integer_element(c, 1, 0);
  std::vector<Scalar> result{valid_or_refused(c, batch, {batch == index_value(c, c.shape(0)[0])})};
  for (int64_t k = 2; k < entries; ++k) result.push_back(integer_element(c, 1, k));
  result.push_back(number(c, DType::i64, double(entries - 2)));
  emit_dims(c, dims, result);
}

void infer_affine_grid(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 3, 3);
  const Shape size = affine_size(c);
  const int64_t axes = int64_t(size.size()) - 2;
  require_equal(c, c.shape(0)[0], size[0], "batches of theta and size");
  require_equal(c, c.shape(0)[1], axes, "rows of theta and axes");
  require_equal(c, c.shape(0)[2], axes + 1, "columns of theta and axes + 1");
  c.integer("align_corners", 0);
  Shape to = {size[0]};
  to.insert(to.end(), size.begin() + 2, size.end());
  to.push_back(axes);
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void lower_affine_grid(LowerContext& c) {
  const Shape size = affine_size(c);
  const int64_t axes = int64_t(size.size()) - 2;
  const bool corners = c.integer("align_corners", 0) != 0;
  const DType type = ir::value_type(c.dtype(0));
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar sum = load_input(c, 0, {at[0], at.back(), axes});
    for (int64_t k = 0; k < axes; ++k) {
      const size_t d = size_t(axes - k);  // coordinate 0 belongs to the last axis
      const IndexExpr n = size[d + 1], steps = corners ? ir::max(n - 1, 1) : n;
      // A coordinate in [-1, 1]; a single element of an axis is in its middle.
      const IndexExpr numerator = at[d] * IndexExpr(int64_t(2)) + IndexExpr(int64_t(1)) - n;
      Scalar place = index_value(c, numerator, type) / index_value(c, steps, type);
      sum = sum + load_input(c, 0, {at[0], at.back(), k}) * place;
    }
    return checked(c, sum, agrees_with_affine_size(c));
  });
}

// --- CenterCropPad: the middle of each axis, or zeros around it

std::vector<int> cropped_axes(InferContext& c) {
  const Shape& x = c.shape(0);
  std::vector<int64_t> axes;
  for (size_t d = 0; d < x.size(); ++d) axes.push_back(int64_t(d));
  axes = c.integers("axes", axes);
  normalized_axes(c, axes, int(x.size()));
  if (element_count(c, 1) != int64_t(axes.size()))
    c.fail(fmt::format("there are {} sizes for {} axes", element_count(c, 1), axes.size()));
  std::vector<int> normalized;
  for (int64_t a : axes) normalized.push_back(normalized_axis(c, a, int(x.size())));
  return normalized;
}

Shape cropped_shape(InferContext& c) {
  const std::vector<int> axes = cropped_axes(c);
  PartialShape partial(c.shape(0).begin(), c.shape(0).end());
  const auto* sizes = c.contents(1);
  for (size_t k = 0; k < axes.size(); ++k) partial[size_t(axes[k])] = sizes ? std::optional((*sizes)[k]) : std::nullopt;
  if (!sizes) return require_declared(c, 1, "the sizes", partial);
  Shape to;
  for (const auto& d : partial) to.push_back(*d);
  return to;
}

// The number of elements removed or added at the front: half of the difference, rounded towards zero.
IndexExpr front_shift(IndexExpr in, IndexExpr out) {
  const IndexExpr two(int64_t(2));
  if (ir::prove_less_equal(out, in)) return floordiv(in - out, two);
  if (ir::prove_less_equal(in, out)) return IndexExpr() - floordiv(out - in, two);
  return floordiv(ir::max(in - out, 0), two) - floordiv(ir::max(out - in, 0), two);
}

void infer_center_crop_pad(InferContext& c) {
  const Shape to = cropped_shape(c);
  require_rank(c, 0, int(to.size()), int(to.size()));
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void resolve_center_crop_pad(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (IndexExpr d : c.shape(0)) result.push_back(index_value(c, d));
  const std::vector<int> axes = cropped_axes(c);
  for (size_t k = 0; k < axes.size(); ++k) result[size_t(axes[k])] = integer_element(c, 1, int64_t(k));
  emit_dims(c, dims, result);
}

void lower_center_crop_pad(LowerContext& c) {
  const Shape &from = c.shape(0), &to = c.output(0).shape;
  const std::vector<int> axes = cropped_axes(c);
  std::vector<Scalar> conditions;
  for (size_t k = 0; is_run_time(c, 1) && k < axes.size(); ++k)
    conditions.push_back(integer_element(c, 1, int64_t(k)) == index_value(c, to[size_t(axes[k])]));
  DType type = ir::value_type(c.dtype(0));
  c.emit_pointwise(c.output_buffer(0), [&](At at) {
    for (int d : axes) at[size_t(d)] = at[size_t(d)] + front_shift(from[size_t(d)], to[size_t(d)]);
    return checked(c, load_inside(c, c.input_buffer(0), at, number(c, type, 0)), conditions);
  });
}

}  // namespace

std::vector<Op> sized_ops() {
  return {
      {.name = "AffineGrid",
       .versions = {{20, "align_corners:int"}},
       .inputs = 2,
       .infer = infer_affine_grid,
       .lower = lower_affine_grid,
       .resolve = resolve_affine_grid},
      {.name = "CenterCropPad",
       .versions = {{18, "axes:ints"}},
       .inputs = 2,
       .elements = Elements::any,
       .infer = infer_center_crop_pad,
       .lower = lower_center_crop_pad,
       .resolve = resolve_center_crop_pad},
  };
}

}  // namespace cppgen::ops
