#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/shapes/reindex.h"
#include "cppgen/ops/windows/window.h"

namespace cppgen::ops {
namespace {

// Col2Im: columns [N, C x taps, positions] of a sliding block are added up where they came from: [N, C, image..].
// Stated from the image: an element sums the taps that see it.

struct Columns {
  Window window;  // over the image; `output` are the positions of the block
  IndexExpr taps = 1, channels;
  Shape output;  // [N, C, image..]
};

int64_t image_rank(InferContext& c) {
  const int64_t image = element_count(c, 1), block = element_count(c, 2);
  if (image == 0 || image != block)
    c.fail(fmt::format("the image has {} dimensions, but the block has {}", image, block));
  return image;
}

bool is_run_time_image(InferContext& c) { return is_run_time(c, 1) || is_run_time(c, 2); }

// Extents of the image, then of the block. Those that only a run knows are the results of `resolve`.
Shape image_and_block(InferContext& c) {
  const int64_t rank = image_rank(c);
  Shape extents, noted(size_t(2 * rank));
  for (int64_t k = 0; k < 2 * rank; ++k) {
    const auto* known = c.contents(int(1 + k / rank));
    extents.push_back(known ? (*known)[size_t(k % rank)] : c.resolved_symbol(size_t(k), "extent"));
    if (!known) noted[size_t(k)] = extents.back();
    const IndexExpr e = extents.back();
    if (e.is_constant() && (e.constant() < 1 || e.constant() > int64_t(1) << 31))
      c.fail(fmt::format("an extent of the image or the block is {}", e.constant()));
  }
  if (is_run_time_image(c)) c.note_resolved(noted);
  return extents;
}

void resolve_col2im(LowerContext& c, ir::BufferId dims) {
  const int64_t rank = image_rank(c);
  std::vector<Scalar> values;
  for (int64_t k = 0; k < 2 * rank; ++k) {
    const Scalar extent = integer_element(c, int(1 + k / rank), k % rank);
    values.push_back(valid_or_refused(c, extent, {extent >= 1.0, extent <= double(int64_t(1) << 31)}));
  }
  emit_dims(c, dims, values);
}

Columns columns_of(InferContext& c) {
  require_rank(c, 0, 3, 3);
  const Shape extents = image_and_block(c);
  const auto rank = int64_t(extents.size() / 2);
  const Shape image(extents.begin(), extents.begin() + rank), block(extents.begin() + rank, extents.end());
  require_size(c, block, DType::u8);
  Columns k;
  k.window = window_of(c, image, block, false);
  k.taps = ir::product(block);
  const Shape& x = c.shape(0);
  require_equal(c, mod(x[1], k.taps), 0, "the remainder of dimension 1 by the size of the block and 0");
  require_equal(c, x[2], ir::product(output_extents(k.window)), "dimension 2 and the positions of the block");
  k.channels = floordiv(x[1], k.taps);
  k.output = {x[0], k.channels};
  k.output.insert(k.output.end(), image.begin(), image.end());
  require_size(c, k.output, c.dtype(0));
  return k;
}

void infer_col2im(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  c.set_output(0, c.dtype(0), columns_of(c).output);
}

void lower_col2im(LowerContext& c) {
  const Columns k = columns_of(c);
  const DType type = ir::value_type(c.dtype(0));
  emit_reduction(c, {"", c.output_buffer(0), kernel_extents(k.window), ir::ReduceOp::sum,
                     [&](const At& at, const At& tap) {
                       At place;
                       std::vector<ir::Guard> guards;
                       for (size_t d = 0; d < tap.size(); ++d) {
                         const WindowAxis& a = k.window[d];
                         // The block begins at this distance before the element, if that is a multiple of the stride.
                         const IndexExpr from = at[d + 2] + a.pad_begin - tap[d] * IndexExpr(a.dilation);
                         place.push_back(floordiv(from, a.stride));
                         guards.push_back({place.back(), 0, a.output});
                         if (a.stride > 1) guards.push_back({mod(from, a.stride), 0, 1});
                       }
                       const At column = {at[0], at[1] * k.taps + linear_index(kernel_extents(k.window), tap),
                                          linear_index(output_extents(k.window), place)};
                       return scalar(c,
                                     c.exprs().load(c.input_buffer(0), c.dtype(0), column, guards, number(c, type, 0)));
                     },
                     nullptr});
}

// MaxRoiPool: x [N, C, H, W], rois [R, 5] of batch entry and corners (x1, y1, x2, y2); result [R, C, PH, PW]

struct RegionCell {
  Scalar begin, end;  // positions of the input, clipped to it
};

// Cell number `cell` of `cells` of a region from `first` to `last`, both included.
RegionCell cell_of(LowerContext& c, Scalar first, Scalar last, IndexExpr cell, int64_t cells, IndexExpr extent) {
  const DType type = first.type();
  const Scalar size = max(last - first + 1.0, 1.0), step = size / double(cells), n = index_value(c, extent, type);
  const Scalar begin = floor(index_value(c, cell, type) * step) + first;
  const Scalar end = ceil(index_value(c, cell + 1, type) * step) + first;
  return {min(max(begin, 0.0), n), min(max(end, 0.0), n)};
}

std::vector<int64_t> pooled_sizes(InferContext& c) {
  std::vector<int64_t> pooled = c.integers("pooled_shape");
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1)
    c.fail("attribute 'pooled_shape' is not two positive sizes");
  return pooled;
}

void infer_max_roi_pool(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, 1);
  require_rank(c, 0, 4, 4);
  require_rank(c, 1, 2, 2);
  require_equal(c, c.shape(1)[1], 5, "the numbers of a region and 5");
  c.number("spatial_scale", 1);
  const std::vector<int64_t> pooled = pooled_sizes(c);
  c.set_output(0, c.dtype(0), {c.shape(1)[0], c.shape(0)[1], pooled[0], pooled[1]});
}

void lower_max_roi_pool(LowerContext& c) {
  const Shape& x = c.shape(0);
  const std::vector<int64_t> pooled = pooled_sizes(c);
  const double scale = c.number("spatial_scale", 1);
  // Halves are rounded away from zero.
  auto corner = [&](const At& at, int64_t k) {
    const Scalar v = load_input(c, 1, {at[0], k}) * scale;
    return select(v < 0.0, ceil(v - 0.5), floor(v + 0.5));
  };
  const DType type = ir::value_type(c.dtype(0));
  emit_reduction(c, {"",
                     c.output_buffer(0),
                     {x[2], x[3]},
                     ir::ReduceOp::max,
                     [&](const At& at, const At& place) {
                       const RegionCell rows = cell_of(c, corner(at, 2), corner(at, 4), at[2], pooled[0], x[2]);
                       const RegionCell columns = cell_of(c, corner(at, 1), corner(at, 3), at[3], pooled[1], x[3]);
                       const Scalar row = index_value(c, place[0], type), column = index_value(c, place[1], type);
                       const Scalar inside =
                           row >= rows.begin && row < rows.end && column >= columns.begin && column < columns.end;
                       const Scalar value = load_gathered(c, c.input_buffer(0), {0, at[1], place[0], place[1]},
                                                          {{0, load_input(c, 1, {at[0], 0})}});
                       return select(inside, value, lowest(c, type));
                     },
                     // If nothing is inside, the result is 0.
                     [&](Scalar m) { return select(m == lowest(c, type), m.number(0), m); }});
}

// --- UnfoldTensor of com.microsoft: windows of an axis as a further last axis

struct Unfolding {
  int axis;
  int64_t size, step;
};

Unfolding unfolding_of(InferContext& c) {
  require_rank(c, 0, 1, -1);
  const Unfolding u{normalized_axis(c, c.integer("dim", -1), int(c.shape(0).size())), c.integer("size"),
                    c.integer("step", 1)};
  if (u.size < 1 || u.step < 1) c.fail(fmt::format("size is {} and step {}; both must be positive", u.size, u.step));
  return u;
}

void infer_unfold(InferContext& c) {
  const Unfolding u = unfolding_of(c);
  Shape to = c.shape(0);
  IndexExpr& extent = to[size_t(u.axis)];
  require_at_most(c, u.size, extent,
                  fmt::format("windows of {} do not fit an axis of {}", u.size, ir::to_string(extent)));
  extent = ir::floordiv(extent - u.size, u.step) + 1;
  to.emplace_back(u.size);
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void lower_unfold(LowerContext& c) {
  const Unfolding u = unfolding_of(c);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    At from(at.begin(), at.end() - 1);
    from[size_t(u.axis)] = from[size_t(u.axis)] * u.step + at.back();
    return load_input(c, 0, from);
  });
}

}  // namespace

std::vector<Op> column_ops() {
  return {
      {.name = "Col2Im",
       .versions = {{18, "dilations:ints pads:ints strides:ints"}},
       .inputs = 3,
       .infer = infer_col2im,
       .lower = lower_col2im,
       .resolve = resolve_col2im},
      {.name = "MaxRoiPool",
       .versions = {{1, "pooled_shape:ints spatial_scale:float"}, 22},
       .inputs = 2,
       .infer = infer_max_roi_pool,
       .lower = lower_max_roi_pool},
      {.name = "UnfoldTensor",
       .domain = "com.microsoft",
       .versions = {{1, "dim:int size:int step:int"}},
       .inputs = 1,
       .infer = infer_unfold,
       .lower = lower_unfold},
  };
}

}  // namespace cppgen::ops
