#include "cppgen/ops/contractions/conv.h"

namespace cppgen::ops {
namespace {

using ir::AxisRole;

void check_kernel_attribute(InferContext& c, const Shape& kernel) {
  if (!c.has("kernel_shape")) return;
  std::vector<int64_t> given = per_axis(c, "kernel_shape", kernel.size(), 1, 1);
  for (size_t d = 0; d < given.size(); ++d) require_equal(c, given[d], kernel[d], "kernel_shape and the weights");
}

std::vector<IndexExpr> positions(const Window& window, const std::vector<IndexExpr>& out,
                                 const std::vector<IndexExpr>& tap) {
  std::vector<IndexExpr> at;
  for (size_t d = 0; d < window.size(); ++d) at.push_back(window[d].position(out[d], tap[d]));
  return at;
}

}  // namespace

std::vector<IndexExpr> add_loops(LowerContext& c, ir::LoopNest& nest, std::vector<ir::Loop>& to, const Shape& extents,
                                 AxisRole role, const std::string& prefix) {
  std::vector<ir::Loop> added = c.loops(extents, prefix);
  to.insert(to.end(), added.begin(), added.end());
  nest.roles.insert(nest.roles.end(), added.size(), role);
  return LowerContext::indices(added);
}

ConvShape conv_shape(InferContext& c, const Shape& x, const Shape& w) {
  if (x.size() < 3) c.fail(fmt::format("the input has the shape {} but must have at least 3 dimensions", to_string(x)));
  if (w.size() != x.size()) c.fail(fmt::format("the weights {} must have {} dimensions", to_string(w), x.size()));
  Shape kernel(w.begin() + 2, w.end());
  check_kernel_attribute(c, kernel);
  ConvShape s;
  s.groups = c.integer("group", 1);
  if (s.groups < 1) c.fail(fmt::format("attribute 'group' is {}; it must be at least 1", s.groups));
  s.batch = x[0];
  s.in_channels = w[1];
  require_equal(c, x[1], w[1] * IndexExpr(s.groups), "input channels and group x channels of the weights");
  require_equal(c, mod(w[0], s.groups), 0, "the remainder of output channels by group and 0");
  s.out_channels = floordiv(w[0], s.groups);
  s.window = window_of(c, Shape(x.begin() + 2, x.end()), kernel, false);
  s.output = {x[0], w[0]};
  append(s.output, output_extents(s.window));
  require_size(c, s.output, DType::f64);
  return s;
}

// Groups of so few channels do not fill a tile of a contraction, or not with a K worth it: they are loops over all
// output channels, whose lanes are neighbouring channels. One channel in and one out: a depthwise convolution.
static bool has_narrow_groups(const ConvShape& s) {
  constexpr int64_t kFewChannels = 8, kFewTerms = 32, kMostTerms = 256;
  if (s.groups == 1 || !s.in_channels.is_constant() || !s.out_channels.is_constant()) return false;
  const IndexExpr terms = ir::product(kernel_extents(s.window)) * s.in_channels;
  const int64_t in = s.in_channels.constant(), out = s.out_channels.constant();
  if (in == 1 && out == 1) return true;
  if (in > kFewChannels || out > kFewChannels || !terms.is_constant() || terms.constant() > kMostTerms) return false;
  return in < kFewChannels || out < kFewChannels || terms.constant() < kFewTerms;
}

namespace {

// The loops of a convolution in the order of its output's dimensions, and what they say about its channels.
struct ConvLoops {
  IndexExpr n, channel, in_channel, input_channel;  // of the output, of the weights, of the input
  std::vector<IndexExpr> at, tap;
};

ConvLoops loops_of_groups(LowerContext& c, const ConvShape& s, ir::LoopNest& nest) {
  ConvLoops l;
  l.n = add_loops(c, nest, nest.loops, {s.batch}, AxisRole::rows, "n")[0];
  IndexExpr group;
  if (s.groups > 1) group = add_loops(c, nest, nest.loops, {s.groups}, AxisRole::batch, "g")[0];
  l.channel = group * s.out_channels + add_loops(c, nest, nest.loops, {s.out_channels}, AxisRole::columns, "m")[0];
  l.at = add_loops(c, nest, nest.loops, output_extents(s.window), AxisRole::rows, "o");
  l.tap = add_loops(c, nest, nest.reduced, kernel_extents(s.window), AxisRole::k, "k");
  l.in_channel = add_loops(c, nest, nest.reduced, {s.in_channels}, AxisRole::k, "c")[0];
  l.input_channel = group * s.in_channels + l.in_channel;
  return l;
}

ConvLoops loops_of_channels(LowerContext& c, const ConvShape& s, ir::LoopNest& nest) {
  ConvLoops l;
  nest.loops = c.loops({s.batch, s.out_channels * s.groups}, "n");
  l.n = nest.loops[0].var, l.channel = nest.loops[1].var;
  l.at = add_loops(c, nest, nest.loops, output_extents(s.window), AxisRole::rows, "o");
  l.tap = add_loops(c, nest, nest.reduced, kernel_extents(s.window), AxisRole::k, "k");
  if (!s.in_channels.is_constant(1))
    l.in_channel = add_loops(c, nest, nest.reduced, {s.in_channels}, AxisRole::k, "c")[0];
  l.input_channel = floordiv(l.channel, s.out_channels) * s.in_channels + l.in_channel;
  nest.roles.clear();
  return l;
}

}  // namespace

void emit_conv(LowerContext& c, const ConvShape& s, const ConvBuffers& b, const std::string& name) {
  ir::LoopNest nest;
  nest.name = name;
  const ConvLoops l = has_narrow_groups(s) ? loops_of_channels(c, s, nest) : loops_of_groups(c, s, nest);
  std::vector<IndexExpr> from = {l.n, l.input_channel}, weight = {l.channel, l.in_channel}, to = {l.n, l.channel};
  append(from, positions(s.window, l.at, l.tap));
  append(weight, l.tap);
  append(to, l.at);
  Scalar padding = b.padding ? *b.padding : number(c, ir::value_type(c.program().buffer(b.x).type), 0);
  Scalar product = load_inside(c, b.x, from, padding).cast(b.accumulate) * load(c, b.w, weight).cast(b.accumulate);
  nest.reductions.push_back({ir::ReduceOp::sum, b.accumulate, product});
  nest.stores.push_back({b.out, to, c.exprs().accumulator(0, b.accumulate)});
  c.emit(std::move(nest));
}

void infer_conv(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, 1);
  ConvShape s = conv_shape(c, c.shape(0), c.shape(1));
  if (c.has_input(2)) {
    require_same_dtype(c, 0, 2);
    require_rank(c, 2, 1, 1);
    require_equal(c, c.shape(2)[0], s.output[1], "biases and output channels");
  }
  c.set_output(0, c.dtype(0), s.output);
}

void emit_biased_conv(LowerContext& c, const FinishConv& finish) {
  ConvShape s = conv_shape(c, c.shape(0), c.shape(1));
  DType type = ir::value_type(c.dtype(0));
  bool biased = c.has_input(2);
  ir::BufferId sum = biased || finish ? c.temporary(type, s.output) : c.output_buffer(0);
  emit_conv(c, s, {c.input_buffer(0), c.input_buffer(1), sum, type}, "");
  if (!biased && !finish) return;
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const auto& at) {
        Scalar x = load(c, sum, at);
        if (biased) x = x + load_input(c, 2, {at[1]});
        return finish ? finish(x, at) : x;
      },
      "bias");
}

std::vector<Op> conv_ops() {
  return {
      {.name = "Conv",
       .versions = {{1, "auto_pad:string dilations:ints group:int kernel_shape:ints pads:ints strides:ints"}, 11, 22},
       .inputs = {2, 3},
       .infer = infer_conv,
       .lower = [](LowerContext& c) { emit_biased_conv(c); }},
  };
}

}  // namespace cppgen::ops
