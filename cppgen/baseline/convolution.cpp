// Conv and ConvTranspose.
#include <algorithm>

#include "cppgen/baseline/primitives.h"
#include "cppgen/ops/contractions/conv.h"

namespace cppgen::baseline {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

struct Spatial {
  Dims strides, dilations, begin, end;
};

Spatial spatial_of(const ops::Window& window) {
  Spatial s;
  for (const ops::WindowAxis& axis : window) {
    s.strides.push_back(axis.stride);
    s.dilations.push_back(axis.dilation - 1);
    s.begin.push_back(axis.pad_begin.constant());
    s.end.push_back(axis.pad_end.constant());
  }
  return s;
}

// [groups, rows / groups, ...] of weights whose first axis holds the groups.
Dims grouped(const Dims& dims, int64_t groups) {
  Dims result{groups, dims[0] / groups};
  result.insert(result.end(), dims.begin() + 1, dims.end());
  return result;
}

Desc any(const Dims& dims) { return Desc(dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any); }

// The primitive's bias: the node's own, or an addition of one number per channel right behind it.
std::optional<Operand> take_bias(Builder& b, const Unit& unit, int64_t channels, size_t& begin) {
  const Node& node = b.node(unit.nodes[0]);
  if (node.inputs.size() > 2 && node.inputs[2] != kNoValue) return vector_operand(b, node.inputs[2], channels);
  if (unit.nodes.size() < 2) return std::nullopt;
  const Node& next = b.node(unit.nodes[1]);
  if (next.op != "Add" || eltwise_of(b.graph(), next)) return std::nullopt;
  const ValueId other = next.inputs[next.inputs[0] == node.outputs[0] ? 1 : 0];
  const Dims dims = aligned(b.dims(other), b.dims(node.outputs[0]).size());
  if (dims[1] != channels || element_count(dims) != channels) return std::nullopt;
  begin = 2;
  return vector_operand(b, other, channels);
}

}  // namespace

void map_convolution(Builder& b, const Unit& unit) {
  using Forward = dnnl::convolution_forward;
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  const ops::ConvShape shape = ops::conv_shape(c, c.shape(0), c.shape(1));
  const Spatial s = spatial_of(shape.window);
  const Desc src = channels_last(b.dims(node.inputs[0])), dst = channels_last(b.dims(node.outputs[0]));
  const Dims kernel = b.dims(node.inputs[1]), weights = shape.groups == 1 ? kernel : grouped(kernel, shape.groups);
  size_t begin = 1;
  const auto bias = take_bias(b, unit, kernel[0], begin);
  const PostOps post = post_ops_of(b, unit, dst, begin);
  const auto pd = primitive_desc<Forward>(b.engine(), post.attributes, prop_kind::forward_inference,
                                          algorithm::convolution_direct, src, any(weights), bias ? bias->desc : Desc(),
                                          dst, s.strides, s.dilations, s.begin, s.end);
  std::vector<std::pair<int, Operand>> arguments{
      {DNNL_ARG_SRC, b.laid_out(b.get(node.inputs[0]), src)},
      {DNNL_ARG_WEIGHTS, b.laid_out(b.viewed(b.plain(b.get(node.inputs[1])), weights), pd.weights_desc())}};
  if (bias) arguments.emplace_back(DNNL_ARG_BIAS, *bias);
  finish<Forward>(b, unit, "convolution", pd, post, std::move(arguments), dst);
}

void map_deconvolution(Builder& b, const Unit& unit) {
  using Forward = dnnl::deconvolution_forward;
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  const Dims in = b.dims(node.inputs[0]), out = b.dims(node.outputs[0]), given = b.dims(node.inputs[1]);
  const int64_t groups = c.integer("group", 1);
  const size_t axes = in.size() - 2;
  Spatial s;
  s.strides = ops::per_axis(c, "strides", axes, 1, 1);
  if (ops::auto_pad_of(c) != ops::AutoPad::notset) throw Refusal{"auto_pad"};
  const auto pads = c.integers("pads", std::vector<int64_t>(2 * axes, 0));
  const auto dilations = ops::per_axis(c, "dilations", axes, 1, 1);
  for (size_t i = 0; i < axes; i++) {
    s.dilations.push_back(dilations[i] - 1);
    s.begin.push_back(pads[i]);
    const int64_t all = (in[i + 2] - 1) * s.strides[i] + (given[i + 2] - 1) * dilations[i] + 1;
    s.end.push_back(all - pads[i] - out[i + 2]);
  }
  // ONNX has [in, out / groups, ...], oneDNN [groups, out / groups, in / groups, ...].
  const Dims split = grouped(given, groups);
  std::vector<int> order{0, 2, 1};
  for (size_t i = 0; i < axes; i++) order.push_back(int(i) + 3);
  Operand weights = b.viewed(b.plain(b.get(node.inputs[1])), split);
  weights.desc = permuted(weights.desc, order);
  if (groups == 1) {
    const Dims dims = dims_of(weights.desc);
    weights = b.viewed(weights, Dims(dims.begin() + 1, dims.end()));
  }
  const Desc src = channels_last(in), dst = channels_last(out);
  size_t begin = 1;
  const auto bias = take_bias(b, unit, out[1], begin);
  const PostOps post = post_ops_of(b, unit, dst, begin);
  const auto pd = primitive_desc<Forward>(b.engine(), post.attributes, prop_kind::forward_inference,
                                          algorithm::deconvolution_direct, src, any(dims_of(weights.desc)),
                                          bias ? bias->desc : Desc(), dst, s.strides, s.dilations, s.begin, s.end);
  std::vector<std::pair<int, Operand>> arguments{{DNNL_ARG_SRC, b.laid_out(b.get(node.inputs[0]), src)},
                                                 {DNNL_ARG_WEIGHTS, b.laid_out(weights, pd.weights_desc())}};
  if (bias) arguments.emplace_back(DNNL_ARG_BIAS, *bias);
  finish<Forward>(b, unit, "deconvolution", pd, post, std::move(arguments), dst);
}

}  // namespace cppgen::baseline
