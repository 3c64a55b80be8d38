#include "cppgen/passes/name_large_dimensions.h"

#include <algorithm>

#include "cppgen/ir/index/expression_size.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

constexpr int kOpset = 13;  // of the nodes that are inserted

bool has_large_dimension(const Graph& graph, ValueId v) {
  if (v == kNoValue || !graph.value(v).type || graph.value(v).constant) return false;
  const Shape& shape = graph.value(v).type->shape;
  return !std::all_of(shape.begin(), shape.end(), ir::is_small);
}

// Returns whether the node is a Shape of v, or the Reshape to such a shape.
bool names_dimensions_of(const Graph& graph, const Node& node, ValueId v) {
  if (node.op == "Shape") return true;
  if (node.op != "Reshape" || node.inputs.size() != 2 || node.inputs[0] != v) return false;
  const NodeId producer = graph.value(node.inputs[1]).producer;
  return producer >= 0 && graph.nodes[size_t(producer)].op == "Shape" && graph.nodes[size_t(producer)].inputs[0] == v;
}

bool is_named(const Graph& graph, ValueId v) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const Node& node) { return node.op == "Reshape" && names_dimensions_of(graph, node, v); });
}

void read_instead(Graph& graph, ValueId from, ValueId to) {
  for (Node& node : graph.nodes)
    if (!names_dimensions_of(graph, node, from)) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  std::replace(graph.outputs.begin(), graph.outputs.end(), from, to);
}

}  // namespace

void name_large_dimensions(Graph& graph, NodeOrder& order, NodeId id) {
  const Node node = graph.nodes[size_t(id)];
  NodeId last = id;
  for (ValueId v : node.outputs) {
    if (!has_large_dimension(graph, v) || is_named(graph, v)) continue;
    const std::string name = graph.value(v).name;
    const ValueId shape = graph.add_value(name + " shape"), named = graph.add_value(name);
    graph.value(v).name = name + " unnamed";
    Node take = new_node("Shape", kOpset, {v}, {shape}), reshape = new_node("Reshape", kOpset, {v, shape}, {named});
    take.name = node.name + " shape", reshape.name = node.name + " sizes";
    last = order.insert_behind(last, std::move(take)).id;
    last = order.insert_behind(last, std::move(reshape)).id;
    read_instead(graph, v, named);
  }
}

}  // namespace cppgen::passes
