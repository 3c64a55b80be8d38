#include "cppgen/graph/users.h"

#include <algorithm>

namespace cppgen {

Users::Users(const Graph& graph) : users_(graph.values.size()) {
  for (const Node& node : graph.nodes) add(node);
  for (ValueId out : graph.outputs) users_[size_t(out)].outputs++;
}

const Users::Of& Users::of(ValueId v) const {
  static const Of none;
  return size_t(v) < users_.size() ? users_[size_t(v)] : none;
}

const std::vector<NodeId>& Users::nodes(ValueId v) const { return of(v).nodes; }

int Users::count(ValueId v) const { return int(of(v).nodes.size()) + of(v).outputs; }

NodeId Users::only_node(ValueId v) const { return count(v) == 1 && of(v).outputs == 0 ? of(v).nodes[0] : -1; }

void Users::add(const Node& node) {
  for (ValueId in : node.inputs) {
    if (in == kNoValue) continue;
    if (size_t(in) >= users_.size()) users_.resize(size_t(in) + 1);
    users_[size_t(in)].nodes.push_back(node.id);
  }
}

void Users::remove(const Node& node) {
  for (ValueId in : node.inputs) {
    if (in == kNoValue) continue;
    auto& nodes = users_[size_t(in)].nodes;
    nodes.erase(std::find(nodes.begin(), nodes.end(), node.id));
  }
}

void Users::set_input(Node& node, size_t i, ValueId v) {
  remove(node);
  node.inputs[i] = v;
  add(node);
}

}  // namespace cppgen
