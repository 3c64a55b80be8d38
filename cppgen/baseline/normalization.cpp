// Softmax, LayerNormalization, BatchNormalization and reductions.
#include <algorithm>
#include <map>

#include "cppgen/baseline/primitives.h"
#include "cppgen/ops/common.h"

namespace cppgen::baseline {
namespace {

using dnnl::algorithm;
using dnnl::normalization_flags;
using dnnl::prop_kind;

// The shape in which axes from `axis` on are one.
Dims rows_and_columns(const Dims& dims, int axis) {
  const Dims rows(dims.begin(), dims.begin() + axis), columns(dims.begin() + axis, dims.end());
  return {element_count(rows), element_count(columns)};
}

// All positions of each channel, and nothing else.
bool reduces_images(const Dims& from, const Dims& to) {
  return from.size() >= 3 && from.size() <= 5 && from[0] == to[0] && from[1] == to[1] &&
         element_count(to) == to[0] * to[1];
}

}  // namespace

void map_softmax(Builder& b, const Unit& unit) {
  using Forward = onednn::Softmax;
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  const bool flat = c.opset() < 13;  // all axes from the given one on together
  const int rank = int(c.shape(0).size());
  const int axis = ops::normalized_axis(c, c.integer("axis", flat ? 1 : -1), rank);
  Operand src = b.dense(b.get(node.inputs[0]));
  if (flat && axis + 1 < rank) src = b.viewed(src, rows_and_columns(dims_of(src.desc), axis));
  const PostOps post = post_ops_of(b, unit, src.desc);
  const auto pd = primitive_desc<Forward>(b.engine(), post.attributes, prop_kind::forward_inference,
                                          node.op == "Softmax" ? algorithm::softmax_accurate : algorithm::softmax_log,
                                          src.desc, src.desc, flat && axis + 1 < rank ? 1 : axis);
  finish<Forward>(b, unit, "softmax", pd, post, {{DNNL_ARG_SRC, src}}, src.desc);
}

void map_layer_normalization(Builder& b, const Unit& unit) {
  using Forward = dnnl::layer_normalization_forward;
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  if (node.outputs.size() > 1) throw Refusal{"statistics as outputs"};
  const int rank = int(c.shape(0).size()), axis = ops::normalized_axis(c, c.integer("axis", -1), rank);
  const Dims dims = rows_and_columns(b.dims(node.inputs[0]), axis);
  Operand src = b.in_row_major(b.get(node.inputs[0]));
  src = b.viewed(src, dims);
  std::vector<std::pair<int, Operand>> arguments{{DNNL_ARG_SRC, src},
                                                 {DNNL_ARG_SCALE, vector_operand(b, node.inputs[1], dims[1])}};
  normalization_flags flags = normalization_flags::use_scale;
  if (node.inputs.size() > 2 && node.inputs[2] != kNoValue) {
    flags |= normalization_flags::use_shift;
    arguments.emplace_back(DNNL_ARG_SHIFT, vector_operand(b, node.inputs[2], dims[1]));
  }
  const PostOps post = post_ops_of(b, unit, src.desc);
  const auto pd = primitive_desc<Forward>(b.engine(), post.attributes, prop_kind::forward_inference, src.desc,
                                          onednn::Result{src.desc}, c.number("epsilon", 1e-5f), flags);
  finish<Forward>(b, unit, "layer_normalization", pd, post, std::move(arguments), src.desc);
}

void map_batch_normalization(Builder& b, const Unit& unit) {
  using Forward = dnnl::batch_normalization_forward;
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  if (node.outputs.size() > 1 || c.integer("training_mode", 0) != 0 || c.integer("is_test", 1) == 0 ||
      c.integer("spatial", 1) == 0)
    throw Refusal{"training"};
  const Dims dims = b.dims(node.inputs[0]);
  const Operand src = b.laid_out(b.get(node.inputs[0]), channels_last(dims));
  normalization_flags flags =
      normalization_flags::use_global_stats | normalization_flags::use_scale | normalization_flags::use_shift;
  if (unit.nodes.size() > 1) flags |= normalization_flags::fuse_norm_relu;
  constexpr int kArguments[] = {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE};
  std::vector<std::pair<int, Operand>> arguments{{DNNL_ARG_SRC, src}};
  for (size_t i = 0; i < 4; i++) arguments.emplace_back(kArguments[i], vector_operand(b, node.inputs[i + 1], dims[1]));
  const PostOps none = post_ops_of(b, unit, src.desc, unit.nodes.size());
  const auto pd = primitive_desc<Forward>(b.engine(), none.attributes, prop_kind::forward_inference, src.desc,
                                          onednn::Result{src.desc}, c.number("epsilon", 1e-5f), flags);
  finish<Forward>(b, unit, "batch_normalization", pd, none, std::move(arguments), src.desc);
}

void map_reduce(Builder& b, const Unit& unit) {
  using Reduction = dnnl::reduction;
  static const std::map<std::string, algorithm> kinds{{"ReduceMax", algorithm::reduction_max},
                                                      {"ReduceMin", algorithm::reduction_min},
                                                      {"ReduceSum", algorithm::reduction_sum},
                                                      {"ReduceProd", algorithm::reduction_mul},
                                                      {"ReduceMean", algorithm::reduction_mean}};
  const Node& node = b.node(unit.nodes[0]);
  ops::InferContext c(b.graph(), node);
  const int rank = int(c.shape(0).size());
  const auto given = ops::axes_argument(c, 1);
  const Operand src = b.dense(b.get(node.inputs[0]));
  Dims dims = dims_of(src.desc);
  if (given && !given->empty()) {
    for (int axis : ops::normalized_axes(c, *given, rank)) dims[size_t(axis)] = 1;
  } else {
    if (c.integer("noop_with_empty_axes", 0) != 0) throw Refusal{"no axes"};
    std::fill(dims.begin(), dims.end(), 1);
  }
  if (dims == dims_of(src.desc)) throw Refusal{"nothing to reduce"};
  // Pooling is the same over images, and faster.
  if (reduces_images(dims_of(src.desc), dims)) {
    if (node.op == "ReduceMean") return add_global_pool(b, unit, algorithm::pooling_avg_exclude_padding);
    if (node.op == "ReduceMax") return add_global_pool(b, unit, algorithm::pooling_max);
  }
  const Desc dst = dense_in_order(dims, order_of(src.desc));
  const PostOps post = post_ops_of(b, unit, dst);
  const auto pd = primitive_desc<Reduction>(b.engine(), post.attributes, kinds.at(node.op), src.desc, dst, 0, 0);
  finish<Reduction>(b, unit, "reduction", pd, post, {{DNNL_ARG_SRC, src}}, dst);
}

}  // namespace cppgen::baseline
