// Functions of single elements, of two tensors, and PRelu.
#include "cppgen/baseline/primitives.h"

namespace cppgen::baseline {

void map_eltwise(Builder& b, const Unit& unit) {
  using Forward = dnnl::eltwise_forward;
  const Eltwise e = *eltwise_of(b.graph(), b.node(unit.nodes[0]));
  const Operand src = b.dense(b.get(e.input));
  const PostOps post = post_ops_of(b, unit, src.desc);
  const auto pd = primitive_desc<Forward>(b.engine(), post.attributes, dnnl::prop_kind::forward_inference, e.algorithm,
                                          src.desc, onednn::Result{src.desc}, e.alpha, e.beta);
  finish<Forward>(b, unit, "eltwise", pd, post, {{DNNL_ARG_SRC, src}}, src.desc);
}

void map_binary(Builder& b, const Unit& unit) {
  const Node& node = b.node(unit.nodes[0]);
  const dnnl::algorithm algorithm = *binary_of(b.graph(), node);
  const Dims out = b.dims(node.outputs[0]);
  ValueId first = node.inputs[0], second = node.inputs[1];
  // The first operand has the result's shape.
  if (is_commutative(algorithm) && aligned(b.dims(first), out.size()) != out) std::swap(first, second);
  if (aligned(b.dims(first), out.size()) != out) throw Refusal{"the first operand is repeated"};
  const Operand left = b.dense(b.viewed(b.plain(b.get(first)), out));
  const Dims other = aligned(b.dims(second), out.size());
  Operand right = b.viewed(b.plain(b.get(second)), other);
  right = b.laid_out(right, other == out ? left.desc : dense_in_order(other, order_of(left.desc)));
  const PostOps post = post_ops_of(b, unit, left.desc);
  const auto pd =
      primitive_desc<dnnl::binary>(b.engine(), post.attributes, algorithm, left.desc, right.desc, left.desc);
  finish<dnnl::binary>(b, unit, "binary", pd, post, {{DNNL_ARG_SRC_0, left}, {DNNL_ARG_SRC_1, right}}, left.desc);
}

void map_prelu(Builder& b, const Unit& unit) {
  using Forward = dnnl::prelu_forward;
  const Node& node = b.node(unit.nodes[0]);
  const Operand src = b.dense(b.get(node.inputs[0]));
  const Dims dims = dims_of(src.desc), slopes = aligned(b.dims(node.inputs[1]), dims.size());
  const Operand weights =
      b.laid_out(b.viewed(b.plain(b.get(node.inputs[1])), slopes), dense_in_order(slopes, order_of(src.desc)));
  const PostOps post = post_ops_of(b, unit, src.desc);
  const auto pd = primitive_desc<Forward>(b.engine(), post.attributes, dnnl::prop_kind::forward_inference, src.desc,
                                          weights.desc, onednn::Result{src.desc});
  finish<Forward>(b, unit, "prelu", pd, post, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}}, src.desc);
}

}  // namespace cppgen::baseline
