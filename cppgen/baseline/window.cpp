// Pooling, LRN and Resize.
#include "cppgen/ops/windows/window.h"

#include <cmath>

#include "cppgen/baseline/primitives.h"

namespace cppgen::baseline {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

struct Pool {
  Dims kernel, strides, dilations, begin, end;
};

void add_pool(Builder& b, const Unit& unit, algorithm kind, const Pool& pool, const Dims& out) {
  using Forward = onednn::Pooling;
  const Node& node = b.node(unit.nodes[0]);
  const Desc src = channels_last(b.dims(node.inputs[0])), dst = channels_last(out);
  const PostOps post = post_ops_of(b, unit, dst);
  const auto pd = primitive_desc<Forward>(b.engine(), post.attributes, prop_kind::forward_inference, kind, src, dst,
                                          pool.strides, pool.kernel, pool.dilations, pool.begin, pool.end);
  finish<Forward>(b, unit, "pooling", pd, post, {{DNNL_ARG_SRC, b.laid_out(b.get(node.inputs[0]), src)}}, dst);
}

// The window may extend past the input by less than the padding: the last window ends there.
int64_t end_of(const ops::WindowAxis& axis) {
  const int64_t out = axis.output.constant(), reach = (axis.kernel.constant() - 1) * axis.dilation + 1;
  const int64_t needed = (out - 1) * axis.stride + reach - axis.input.constant() - axis.pad_begin.constant();
  return std::max<int64_t>(needed, 0);
}

}  // namespace

void map_pool(Builder& b, const Unit& unit) {
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  if (node.outputs.size() > 1) throw Refusal{"indices"};
  Shape kernel;
  for (int64_t k : c.integers("kernel_shape")) kernel.push_back(k);
  const Shape& x = c.shape(0);
  const bool average = node.op == "AveragePool", padding_counts = c.integer("count_include_pad", 0) != 0;
  const ops::Window window = ops::window_of(c, Shape(x.begin() + 2, x.end()), kernel, c.integer("ceil_mode", 0) != 0);
  Pool pool;
  for (const ops::WindowAxis& axis : window) {
    pool.kernel.push_back(axis.kernel.constant());
    pool.strides.push_back(axis.stride);
    pool.dilations.push_back(axis.dilation - 1);
    pool.begin.push_back(axis.pad_begin.constant());
    pool.end.push_back(end_of(axis));
    // oneDNN divides by the size of the whole window, ONNX by the part of it in the padded input.
    if (average && padding_counts && pool.end.back() > axis.pad_end.constant()) throw Refusal{"a window over the end"};
  }
  add_pool(b, unit,
           !average         ? algorithm::pooling_max
           : padding_counts ? algorithm::pooling_avg_include_padding
                            : algorithm::pooling_avg_exclude_padding,
           pool, b.dims(node.outputs[0]));
}

void add_global_pool(Builder& b, const Unit& unit, algorithm kind) {
  const Dims dims = b.dims(b.node(unit.nodes[0]).inputs[0]);
  const Dims zeros(dims.size() - 2, 0), ones(dims.size() - 2, 1);
  Dims out{dims[0], dims[1]};
  out.insert(out.end(), ones.begin(), ones.end());
  add_pool(b, unit, kind, {Dims(dims.begin() + 2, dims.end()), ones, zeros, zeros, zeros}, out);
}

void map_global_pool(Builder& b, const Unit& unit) {
  const bool max = b.node(unit.nodes[0]).op == "GlobalMaxPool";
  add_global_pool(b, unit, max ? algorithm::pooling_max : algorithm::pooling_avg_exclude_padding);
}

void map_lrn(Builder& b, const Unit& unit) {
  using Forward = dnnl::lrn_forward;
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  const int64_t size = c.integer("size");
  if (size % 2 == 0) throw Refusal{"an even size"};
  const Operand src = b.laid_out(b.get(node.inputs[0]), channels_last(b.dims(node.inputs[0])));
  const PostOps post = post_ops_of(b, unit, src.desc);
  const auto pd = primitive_desc<Forward>(b.engine(), post.attributes, prop_kind::forward_inference,
                                          algorithm::lrn_across_channels, src.desc, onednn::Result{src.desc}, size,
                                          c.number("alpha", 0.0001f), c.number("beta", 0.75f), c.number("bias", 1));
  finish<Forward>(b, unit, "lrn", pd, post, {{DNNL_ARG_SRC, src}}, src.desc);
}

// oneDNN samples at half pixels and rounds to the nearest one. For a whole enlargement other rules give the same ones.
void map_resize(Builder& b, const Unit& unit) {
  using Forward = dnnl::resampling_forward;
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  const Dims in = b.dims(node.inputs[0]), out = b.dims(node.outputs[0]);
  if (in.size() < 3 || in.size() > 5 || in[0] != out[0] || in[1] != out[1]) throw Refusal{"axes"};
  const bool old = node.op == "Upsample" || node.opset < 11;
  const std::string mode = c.text("mode", "nearest");
  const std::string coordinates = old ? "asymmetric" : c.text("coordinate_transformation_mode", "half_pixel");
  const std::string nearest = old ? "floor" : c.text("nearest_mode", "round_prefer_floor");
  const bool scales_given =
      node.inputs.size() > 2 && node.inputs[2] != kNoValue && b.graph().value(node.inputs[2]).constant;
  const auto scales =
      scales_given && !old ? numbers_of(*b.graph().value(node.inputs[2]).constant) : std::vector<double>();
  for (size_t i = 2; i < in.size(); i++) {
    const bool whole = out[i] % in[i] == 0;
    if (scales.size() == in.size() && scales[i] * double(in[i]) != double(out[i])) throw Refusal{"scales"};
    const bool same_nearest = (coordinates == "asymmetric" && nearest == "floor") ||
                              (coordinates == "half_pixel" && nearest.starts_with("round"));
    if (mode == "nearest" && !(whole && same_nearest)) throw Refusal{"nearest"};
    if (mode == "linear" && coordinates != "half_pixel" && !(coordinates == "pytorch_half_pixel" && out[i] > 1))
      throw Refusal{"linear"};
  }
  if ((mode != "nearest" && mode != "linear") || c.integer("antialias", 0) != 0) throw Refusal{"mode"};
  const Desc src = channels_last(in), dst = channels_last(out);
  const PostOps post = post_ops_of(b, unit, dst);
  const auto pd = primitive_desc<Forward>(
      b.engine(), post.attributes, prop_kind::forward_inference,
      mode == "nearest" ? algorithm::resampling_nearest : algorithm::resampling_linear, src, dst);
  finish<Forward>(b, unit, "resampling", pd, post, {{DNNL_ARG_SRC, b.laid_out(b.get(node.inputs[0]), src)}}, dst);
}

}  // namespace cppgen::baseline
