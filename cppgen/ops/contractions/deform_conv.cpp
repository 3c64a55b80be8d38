#include "cppgen/ops/contractions/conv.h"
#include "cppgen/ops/shapes/reindex.h"

namespace cppgen::ops {
namespace {

// DeformConv: a convolution whose taps are moved by offsets, which every output position has of its own, and read
// between elements by linear interpolation; zeros outside. x [N, C, spatial..], w [M, C / group, taps..], offsets
// [N, offset groups x taps x axes, out..], bias [M], mask [N, offset groups x taps, out..].
using ir::AxisRole;
enum DeformInput { kDeformed, kKernel, kTapOffset, kKernelBias, kTapMask };

struct DeformShape {
  ConvShape conv;
  int64_t offset_groups;
  size_t axes() const { return conv.window.size(); }
  Shape taps() const { return kernel_extents(conv.window); }
  Shape places() const { return output_extents(conv.window); }
};

void require_moves(InferContext& c, int input, const DeformShape& s, int64_t factor) {
  if (!c.has_input(input)) return;
  require_same_dtype(c, kDeformed, input);
  Shape wanted{s.conv.batch, ir::product(s.taps()) * IndexExpr(factor)};
  for (IndexExpr d : s.places()) wanted.push_back(d);
  require_rank(c, input, int(wanted.size()), int(wanted.size()));
  for (size_t d = 0; d < wanted.size(); ++d)
    require_equal(c, c.shape(input)[d], wanted[d], "dimensions of offsets or mask and those that follow from the rest");
}

DeformShape deform_shape(InferContext& c) {
  DeformShape s{conv_shape(c, c.shape(kDeformed), c.shape(kKernel)), c.integer("offset_group", 1)};
  if (s.axes() > 3) c.fail(fmt::format("{} spatial dimensions; allowed are 1 to 3", s.axes()));
  if (s.offset_groups < 1) c.fail(fmt::format("attribute 'offset_group' is {}", s.offset_groups));
  require_equal(c, mod(c.shape(kDeformed)[1], s.offset_groups), 0,
                "the remainder of the channels by offset_group and 0");
  require_moves(c, kTapOffset, s, s.offset_groups * int64_t(s.axes()));
  require_moves(c, kTapMask, s, s.offset_groups);
  return s;
}

void infer_deform_conv(InferContext& c) {
  require_dtype(c, kDeformed, kFloats);
  require_same_dtype(c, kDeformed, kKernel);
  const DeformShape s = deform_shape(c);
  if (c.has_input(kKernelBias)) {
    require_same_dtype(c, kDeformed, kKernelBias);
    require_rank(c, kKernelBias, 1, 1);
    require_equal(c, c.shape(kKernelBias)[0], s.conv.output[1], "biases and output channels");
  }
  c.set_output(0, c.dtype(kDeformed), s.conv.output);
}

// The element of x between elements: a sum over the corners around a position.
Scalar interpolated(LowerContext& c, IndexExpr n, IndexExpr channel, const std::vector<Scalar>& position) {
  const Shape& x = c.shape(kDeformed);
  const DType type = position[0].type();
  Scalar sum = number(c, type, 0);
  for (unsigned corner = 0; corner < 1u << position.size(); ++corner) {
    Scalar weight = number(c, type, 1), inside = number(c, DType::boolean, 1);
    std::vector<Gathered> gathered;
    At at = {n, channel};
    for (size_t d = 0; d < position.size(); ++d) {
      const Scalar low = floor(position[d]), part = position[d] - low, last = index_value(c, x[d + 2], type) - 1.0;
      const bool upper = corner >> d & 1;
      const Scalar here = upper ? low + 1.0 : low;
      weight = weight * (upper ? part : 1.0 - part);
      inside = inside && here >= 0.0 && here <= last;
      gathered.push_back({int(d + 2), max(min(here, last), 0.0).cast(DType::i64)});
      at.push_back(0);
    }
    const Scalar value = load_gathered(c, c.input_buffer(kDeformed), at, gathered);
    sum = sum + select(inside, value * weight, value.number(0));
  }
  return sum;
}

// The values at the taps: [N, C, taps.., out..].
ir::BufferId emit_columns(LowerContext& c, const DeformShape& s, DType type) {
  const Shape taps = s.taps(), places = s.places();
  Shape shape{s.conv.batch, c.shape(kDeformed)[1]};
  shape.insert(shape.end(), taps.begin(), taps.end());
  shape.insert(shape.end(), places.begin(), places.end());
  const ir::BufferId columns = c.temporary(type, shape);
  const IndexExpr group_channels = floordiv(c.shape(kDeformed)[1], s.offset_groups);
  const auto value = [&](const At& at) {
    const At tap(at.begin() + 2, at.begin() + 2 + long(taps.size())),
        place(at.begin() + 2 + long(taps.size()), at.end());
    const IndexExpr move = floordiv(at[1], group_channels) * ir::product(taps) + linear_index(taps, tap);
    const auto moved_by = [&](int input, IndexExpr row) {
      At from = {at[0], row};
      from.insert(from.end(), place.begin(), place.end());
      return load_input(c, input, from);
    };
    std::vector<Scalar> position;
    for (size_t d = 0; d < taps.size(); ++d)
      position.push_back(index_value(c, s.conv.window[d].position(place[d], tap[d]), type) +
                         moved_by(kTapOffset, move * IndexExpr(int64_t(taps.size())) + IndexExpr(int64_t(d))));
    const Scalar x = interpolated(c, at[0], at[1], position);
    return c.has_input(kTapMask) ? x * moved_by(kTapMask, move) : x;
  };
  c.emit_pointwise(columns, value, "columns");
  return columns;
}

void lower_deform_conv(LowerContext& c) {
  const DeformShape s = deform_shape(c);
  if (is_zero_sized(c.shape(kDeformed)))
    return c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
      return c.has_input(kKernelBias) ? load_input(c, kKernelBias, {at[1]})
                                      : number(c, ir::value_type(c.dtype(kDeformed)), 0);
    });
  const DType type = ir::value_type(c.dtype(kDeformed));
  const ir::BufferId columns = emit_columns(c, s, type);
  const ir::BufferId sum = c.has_input(kKernelBias) ? c.temporary(type, s.conv.output) : c.output_buffer(0);
  ir::LoopNest nest;
  nest.name = "product";
  nest.loops = c.loops({s.conv.batch, s.conv.groups, s.conv.out_channels});
  nest.roles = {AxisRole::rows, AxisRole::batch, AxisRole::columns};
  const std::vector<ir::Loop> places = c.loops(s.places(), "o"), taps = c.loops(s.taps(), "k");
  const IndexExpr n = nest.loops[0].var, group = nest.loops[1].var, m = nest.loops[2].var;
  nest.loops.insert(nest.loops.end(), places.begin(), places.end());
  nest.reduced = taps;
  nest.reduced.push_back(c.loops({s.conv.in_channels}, "c")[0]);  // last, so that values of all channels are neighbours
  const IndexExpr channel = nest.reduced.back().var, out = group * s.conv.out_channels + m;
  nest.roles.insert(nest.roles.end(), places.size(), AxisRole::rows);
  nest.roles.insert(nest.roles.end(), nest.reduced.size(), AxisRole::k);
  At from = {n, group * s.conv.in_channels + channel}, weight = {out, channel}, to = {n, out};
  for (const ir::Loop& tap : taps) from.push_back(tap.var), weight.push_back(tap.var);
  for (const ir::Loop& place : places) from.push_back(place.var), to.push_back(place.var);
  nest.reductions.push_back({ir::ReduceOp::sum, type, load(c, columns, from) * load_input(c, kKernel, weight)});
  nest.stores.push_back({sum, to, c.exprs().accumulator(0, type)});
  c.emit(std::move(nest));
  if (!c.has_input(kKernelBias)) return;
  c.emit_pointwise(
      c.output_buffer(0), [&](const At& at) { return load(c, sum, at) + load_input(c, kKernelBias, {at[1]}); }, "bias");
}

}  // namespace

std::vector<Op> deform_conv_ops() {
  return {
      {.name = "DeformConv",
       .versions = {{19, "dilations:ints group:int kernel_shape:ints offset_group:int pads:ints strides:ints"}, 22},
       .inputs = {3, 5},
       .infer = infer_deform_conv,
       .lower = lower_deform_conv},
  };
}

}  // namespace cppgen::ops
