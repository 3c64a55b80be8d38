#include "cppgen/passes/node_order.h"

#include <utility>

#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {

NodeOrder::NodeOrder(Graph& graph) : graph_(graph) {
  const auto count = NodeId(graph.nodes.size());
  for (NodeId id = kEnd; id < count; id++)
    previous_.push_back(id == kEnd ? count - 1 : id - 1), next_.push_back(id + 1);
  next_.back() = kEnd;
}

NodeOrder::~NodeOrder() {
  if (!changed_) return;
  std::vector<Node> nodes;
  nodes.reserve(graph_.nodes.size());
  for (NodeId id = next(kEnd); id != kEnd; id = next(id)) nodes.push_back(std::move(graph_.nodes[size_t(id)]));
  graph_.nodes = std::move(nodes);
  graph_.number_nodes();
}

Node& NodeOrder::insert_before(NodeId place, std::string op, std::vector<ValueId> inputs,
                               std::vector<ValueId> outputs) {
  const int opset = graph_.nodes[size_t(place)].opset;
  return insert(previous_[slot(place)], new_node(std::move(op), opset, std::move(inputs), std::move(outputs)), place);
}

Node& NodeOrder::insert_behind(NodeId place, std::string op, std::vector<ValueId> inputs,
                               std::vector<ValueId> outputs) {
  const int opset = graph_.nodes[size_t(place)].opset;
  return insert(place, new_node(std::move(op), opset, std::move(inputs), std::move(outputs)), next(place));
}

Node& NodeOrder::insert(NodeId before, Node node, NodeId behind) {
  changed_ = true;
  node.id = NodeId(graph_.nodes.size());
  for (ValueId out : node.outputs)
    if (out != kNoValue) graph_.value(out).producer = node.id;
  next_[slot(before)] = previous_[slot(behind)] = node.id;
  previous_.push_back(before), next_.push_back(behind);
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back();
}

void NodeOrder::erase(NodeId id) {
  changed_ = true;
  next_[slot(previous_[slot(id)])] = next(id);
  previous_[slot(next(id))] = previous_[slot(id)];
  next_[slot(id)] = kErased;
}

Node NodeOrder::take(NodeId id) {
  erase(id);
  return std::exchange(graph_.nodes[size_t(id)], new_node("", 0, {}, {}));
}

void NodeOrder::move_before(NodeId place, NodeId id) {
  erase(id);
  const NodeId before = previous_[slot(place)];
  next_[slot(before)] = previous_[slot(place)] = id;
  previous_[slot(id)] = before, next_[slot(id)] = place;
}

std::vector<NodeId> NodeOrder::from(NodeId id) const {
  std::vector<NodeId> nodes;
  for (; id != kEnd; id = next(id)) nodes.push_back(id);
  return nodes;
}

}  // namespace cppgen::passes
