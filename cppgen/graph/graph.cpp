#include "cppgen/graph/graph.h"

#include <utility>

#include "runtime/base/errors.h"

namespace cppgen {

ValueId Graph::add_value(std::string name) {
  auto id = ValueId(values.size());
  values.push_back({.id = id, .name = std::move(name), .type = {}, .host = {}, .constant = {}, .contents = {}});
  return id;
}

ValueId Graph::add_constant(std::string name, Tensor tensor) {
  ValueId id = add_value(std::move(name));
  Value& v = values.back();
  v.type = TensorType{tensor.dtype, Shape(tensor.dims.begin(), tensor.dims.end())};
  v.constant = std::move(tensor);
  return id;
}

Node& Graph::add_node(std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs, int opset) {
  auto id = NodeId(nodes.size());
  for (ValueId out : outputs)
    if (out != kNoValue) value(out).producer = id;
  std::string name = fmt::format("{}#{}", op, id);
  nodes.push_back({.id = id,
                   .name = std::move(name),
                   .op = std::move(op),
                   .domain = "",
                   .opset = opset,
                   .inputs = std::move(inputs),
                   .outputs = std::move(outputs),
                   .attributes = {}});
  return nodes.back();
}

void Graph::number_nodes() {
  for (size_t i = 0; i < nodes.size(); i++) {
    nodes[i].id = NodeId(i);
    for (ValueId out : nodes[i].outputs)
      if (out != kNoValue) value(out).producer = NodeId(i);
  }
}

Value& Graph::value(ValueId id) { return const_cast<Value&>(std::as_const(*this).value(id)); }

const Value& Graph::value(ValueId id) const {
  if (id < 0 || size_t(id) >= values.size()) internal_error("graph {}: there is no value %{}", quoted(name), id);
  return values[size_t(id)];
}

const std::vector<int64_t>& Node::captures(const std::string& body) const {
  static const std::vector<int64_t> none;
  const auto found = facts.captures.find(body);
  return found == facts.captures.end() ? none : found->second;
}

std::vector<std::shared_ptr<Graph>> bodies_of(const Node& node) {
  std::vector<std::shared_ptr<Graph>> bodies;
  for (const auto& [name, attribute] : node.attributes)
    if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute)) bodies.push_back(*body);
  return bodies;
}

Graph deep_copy(const Graph& graph) {
  Graph copy = graph;
  for (Node& node : copy.nodes)
    for (auto& [name, attribute] : node.attributes)
      if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute))
        *body = std::make_shared<Graph>(deep_copy(**body));
  return copy;
}

}  // namespace cppgen
