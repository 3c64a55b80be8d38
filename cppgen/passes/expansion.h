#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cppgen/passes/expanded_operators.h"
#include "cppgen/passes/node_order.h"
#include "cppgen/passes/rewrite.h"

// Helpers that expansions of composite operators share (expand_composites.h).
namespace cppgen::passes {

inline constexpr int kExpandedOpset = 21;  // of the nodes made here: quantization in blocks
inline constexpr const char* kMicrosoft = "com.microsoft";
using Attributes = std::map<std::string, Attribute>;

// The replacement of a node: nodes before it, and the changed node itself.
class Expansion {
 public:
  Expansion(Graph& graph, NodeOrder& order, NodeId at)
      : graph(graph), old(graph.nodes[size_t(at)]), order_(order), at_(at) {}

  Graph& graph;
  const Node old;

  ValueId input(size_t i) const { return i < old.inputs.size() ? old.inputs[i] : kNoValue; }
  const Tensor* constant(size_t i) const {
    return input(i) == kNoValue || !graph.value(input(i)).constant ? nullptr : &*graph.value(input(i)).constant;
  }
  int64_t integer(const char* name, int64_t otherwise) const { return integer_attribute(old, name, otherwise); }

  ValueId add(std::string op, std::vector<ValueId> inputs, Attributes attributes = {}, const char* domain = "") {
    return add_several(std::move(op), std::move(inputs), std::move(attributes), 1, domain)[0];
  }
  std::vector<ValueId> add_several(std::string op, std::vector<ValueId> inputs, Attributes attributes, size_t count,
                                   const char* domain = "") {
    std::vector<ValueId> outputs;
    for (size_t i = 0; i < count; i++) outputs.push_back(graph.add_value(old.name + " " + op));
    Node& made = order_.insert_before(at_, std::move(op), std::move(inputs), outputs);
    made.domain = domain, made.opset = *domain ? 1 : kExpandedOpset;
    made.name = old.name, made.attributes = std::move(attributes);
    return outputs;
  }
  // Replaces the node; the new one has the outputs before all those that other nodes provide.
  void become(std::string op, std::vector<ValueId> inputs, Attributes attributes, const char* domain = "") {
    Node& node = graph.nodes[size_t(at_)];
    node.outputs.resize(node.outputs.size() - given_);
    node.op = std::move(op), node.domain = domain, node.opset = *domain ? 1 : kExpandedOpset;
    node.inputs = std::move(inputs), node.attributes = std::move(attributes), node.facts = {};
  }
  // Adds a node before that provides output `i`; all outputs after `i` must then be provided in the same way.
  ValueId give(size_t i, std::string op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    if (!wants(i)) return add(std::move(op), std::move(inputs), std::move(attributes));
    given_ = std::max(given_, old.outputs.size() - i);
    Node& made = order_.insert_before(at_, std::move(op), std::move(inputs), {old.outputs[i]});
    made.opset = kExpandedOpset, made.name = old.name, made.attributes = std::move(attributes);
    graph.nodes[size_t(at_)].outputs[i] = kNoValue;
    return old.outputs[i];
  }
  bool wants(size_t output) const { return output < old.outputs.size() && old.outputs[output] != kNoValue; }
  ValueId ints(const std::vector<int64_t>& values) {
    return graph.add_constant(old.name + " integers", make_ints(values));
  }
  ValueId floats(std::vector<int64_t> dims, const std::vector<double>& values) {
    return graph.add_constant(old.name + " floats", make_floats(DType::f32, std::move(dims), values));
  }
  // The size along an axis, as a tensor of one element.
  ValueId extent(ValueId x, int64_t axis) { return add("Shape", {x}, {{"start", axis}, {"end", axis + 1}}); }
  // x sigmoid(alpha x)
  ValueId swish(ValueId x, float alpha) { return add("QuickGelu", {x}, {{"alpha", alpha}}, kMicrosoft); }
  void replace_inputs(std::vector<ValueId> inputs) { graph.nodes[size_t(at_)].inputs = std::move(inputs); }
  // A constant of one element as a scalar, anything else as it is.
  ValueId scalar(size_t i) {
    const Tensor* t = constant(i);
    if (!t || t->elements() != 1 || t->dims.empty()) return input(i);
    Tensor copy = *t;
    copy.dims.clear();
    return graph.add_constant(old.name + " scalar", std::move(copy));
  }

 private:
  NodeOrder& order_;
  const NodeId at_;
  size_t given_ = 0;  // number of last outputs that nodes before provide
};

// A row of a table of expansions. It has no versions if the operator has a row in the operator table, too.
template <class... Arguments>
struct ExpansionRow {
  const char* name;
  const char* domain = "";
  std::vector<ops::Version> versions;
  void (*expand)(Arguments...);
};
template <class Row>
std::vector<ExpandedOperator> without_row_in_table(const std::vector<Row>& rows) {
  std::vector<ExpandedOperator> expanded;
  for (const Row& row : rows)
    if (!row.versions.empty()) expanded.push_back({row.domain, row.name, &row.versions});
  return expanded;
}

// Unpacks two elements per byte along the last axis into bytes, the lower half first; if the extent is odd, the last
// half is unused.
Tensor unpacked_halves(const Tensor& packed, int64_t extent);

// The permutations that move channels from the end to the position after the batch, and back.
std::vector<int64_t> channels_second(int64_t rank);
std::vector<int64_t> channels_last(int64_t rank);

// expand_attention.cpp
void expand_quantized_attention(Expansion&);
void expand_packed_attention(Expansion&);
void expand_decoder_attention(Expansion&);
void expand_decoder_self_attention(Expansion&);
// expand_channels_last.cpp
void expand_last_max_pool(Expansion&);
void expand_last_average_pool(Expansion&);
void expand_last_quantized_conv(Expansion&);
void expand_last_conv(Expansion&);
void expand_last_fused_conv(Expansion&);
// expand_experimental.cpp
void expand_affine(Expansion&);
void expand_scale(Expansion&);
void expand_scaled_tanh(Expansion&);
void expand_parametric_softplus(Expansion&);
void expand_image_scaler(Expansion&);
void expand_crop(Expansion&);
void expand_dynamic_slice(Expansion&);
// expand_forerunners.cpp
void expand_same(Expansion&);
void expand_dims(Expansion&);
void expand_pad(Expansion&);
void expand_range(Expansion&);
void expand_unique(Expansion&);
void expand_distances(Expansion&);
void expand_quantized_embedding(Expansion&);
// expand_experts.cpp
void expand_experts(Expansion&);
void expand_quantized_experts(Expansion&);
// expand_normalization.cpp
void expand_group_norm(Expansion&);
void expand_skip_group_norm(Expansion&);
void expand_bias_split_gelu(Expansion&);
void expand_bias_add(Expansion&);
// expand_packed_weights.cpp
void expand_gather(Expansion&);
void expand_ordered_weights(Expansion&);
void expand_table_weights(Expansion&);

// expand_uncommon.cpp
void expand_word_product(Expansion&);
void expand_dynamic_pads(Expansion&);
void expand_repeat_block(Expansion&);
void expand_word_embedding(Expansion&);

}  // namespace cppgen::passes
