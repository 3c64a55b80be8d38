#include <algorithm>

#include "cppgen/ops/op.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/quantization.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

// Weights that add up to 1 everywhere.
bool interpolates(const Node& node) {
  const std::string mode = text_attribute(node, "mode", "");
  return node.domain.empty() && (node.op == "Resize" || node.op == "Upsample") &&
         (mode == "linear" || mode == "cubic") &&
         text_attribute(node, "coordinate_transformation_mode", "") != "tf_crop_and_resize";
}

bool is_quantized_only(const Graph& graph, ValueId v) {
  if (std::find(graph.outputs.begin(), graph.outputs.end(), v) != graph.outputs.end()) return false;
  bool read = false;
  for (const Node& node : graph.nodes)
    for (size_t i = 0; i < node.inputs.size(); i++) {
      if (node.inputs[i] != v) continue;
      if (i != 0 || !node.domain.empty() || node.op != "QuantizeLinear") return false;
      read = true;
    }
  return read;
}

// Inserts a node with a typed result before `at`, which then refers to the same node as before.
ValueId add(Graph& graph, NodeId& at, const char* op, std::vector<ValueId> inputs,
            std::map<std::string, Attribute> attributes = {}) {
  const std::string name = graph.nodes[size_t(at)].name;
  const ValueId out = graph.add_value(name + "/" + op);
  Node& made = insert_node(graph, at, op, std::move(inputs), {out});
  made.name = name, made.attributes = std::move(attributes);
  ops::infer_node(graph, at++);
  return out;
}

// The node at `id` becomes the last of its replacements; returns the number of nodes inserted before it.
NodeId interpolate(Graph& graph, NodeId id, const Dequantized& source) {
  NodeId at = id;
  const Node resize = graph.nodes[size_t(id)];
  const auto constant = [&](double value) {
    return graph.add_constant(resize.name, make_floats(DType::f32, {}, {value}));
  };
  std::vector<ValueId> inputs = resize.inputs;
  inputs[0] = add(graph, at, "Cast", {source.x}, {{"to", int64_t{1}}});
  ValueId sum = add(graph, at, resize.op.c_str(), std::move(inputs), resize.attributes);
  if (const int64_t zero = source.parameters.zeros[0]; zero != 0)
    sum = add(graph, at, "Sub", {sum, constant(double(zero))});
  Node& last = graph.nodes[size_t(at)];
  last.op = "Mul", last.inputs = {sum, constant(source.parameters.scales[0])}, last.attributes.clear();
  last.facts = {};
  return at - id;
}

}  // namespace

void interpolate_bytes(Graph& graph, const PassOptions&) {
  for (NodeId id = 0; id < NodeId(graph.nodes.size()); id++) {
    const Node& node = graph.nodes[size_t(id)];
    if (!interpolates(node)) continue;
    const auto source = dequantized(graph, node.inputs[0]);
    if (!source || !source->parameters.per_tensor() || source->parameters.type == DType::i32) continue;
    if (is_quantized_only(graph, node.outputs[0])) id += interpolate(graph, id, *source);
  }
}

}  // namespace cppgen::passes
