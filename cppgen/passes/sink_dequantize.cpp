#include <algorithm>

#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/quantization.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

// The axis of the scales after a Transpose; other operators may mix its positions.
std::optional<int64_t> axis_behind(const Node& node, const Quantization& q, size_t rank) {
  if (q.per_tensor()) return q.axis;
  if (node.op != "Transpose" || !node.domain.empty()) return std::nullopt;
  auto found = node.attributes.find("perm");
  const auto* perm = found == node.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
  if (!perm) return int64_t(rank) - 1 - q.axis;
  return std::find(perm->begin(), perm->end(), q.axis) - perm->begin();
}

// The common parameters of all data inputs of the node, if they are dequantized in the same way.
std::optional<Dequantized> common_input(const Graph& graph, const Node& node) {
  auto first = dequantized(graph, node.inputs[0]);
  if (!first || !is_bytes(first->parameters.type)) return std::nullopt;
  if (!axis_behind(node, first->parameters, graph.value(first->x).type->shape.size())) return std::nullopt;
  if (node.op != "Concat") return first;
  for (ValueId in : node.inputs) {
    auto other = dequantized(graph, in);
    if (!other || !(other->parameters == first->parameters)) return std::nullopt;
  }
  return first;
}

// Moves the dequantization after the node at `id`.
void sink_into(Graph& graph, NodeOrder& order, NodeId id) {
  auto source = common_input(graph, graph.nodes[size_t(id)]);
  if (!source) return;
  const Node dequantize = *producer(graph, graph.nodes[size_t(id)].inputs[0], "DequantizeLinear");
  const int64_t axis =
      *axis_behind(graph.nodes[size_t(id)], source->parameters, graph.value(source->x).type->shape.size());
  const size_t data_inputs = graph.nodes[size_t(id)].op == "Concat" ? graph.nodes[size_t(id)].inputs.size() : 1;
  for (size_t i = 0; i < data_inputs; i++) {
    ValueId& in = graph.nodes[size_t(id)].inputs[i];
    in = dequantized(graph, in)->x;
  }
  for (size_t o = 0; o < graph.nodes[size_t(id)].outputs.size(); o++) {
    const ValueId result = graph.nodes[size_t(id)].outputs[o];
    if (result == kNoValue) continue;
    const ValueId moved = graph.add_value(graph.value(result).name + "/quantized");
    graph.value(moved).type = TensorType{source->parameters.type, graph.value(result).type->shape};
    graph.value(moved).producer = id;
    graph.nodes[size_t(id)].outputs[o] = moved;
    std::vector<ValueId> inputs = dequantize.inputs;
    inputs[0] = moved;
    Node& behind = order.insert_behind(id, "DequantizeLinear", std::move(inputs), {result});
    behind.opset = dequantize.opset, behind.name = dequantize.name, behind.attributes = dequantize.attributes;
    if (!source->parameters.per_tensor()) behind.attributes["axis"] = axis;
  }
}

// The bytes that a QuantizeLinear gives back.
ValueId given_back(const Graph& graph, const Node& node) {
  if (node.op != "QuantizeLinear") return kNoValue;
  auto to = quantization_of(graph, node);
  auto from = dequantized(graph, node.inputs[0]);
  return to && from && *to == from->parameters ? from->x : kNoValue;
}

}  // namespace

void sink_dequantize(Graph& graph, const PassOptions&) {
  Replacements replacements(graph);
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    for (ValueId& in : graph.nodes[size_t(id)].inputs) in = replacements.resolve(in);
    if (moves_elements(graph.nodes[size_t(id)])) {
      sink_into(graph, order, id);
    } else if (ValueId bytes = given_back(graph, graph.nodes[size_t(id)]); bytes != kNoValue) {
      replacements.replace(graph.nodes[size_t(id)].outputs[0], bytes);
    }
  });
  replacements.apply(graph);
}

}  // namespace cppgen::passes
