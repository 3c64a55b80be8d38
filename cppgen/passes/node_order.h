#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// The order of a graph's nodes while a pass inserts and erases some. Ids stay what they are: a new node has the next
// free one and is the last of Graph::nodes, wherever it belongs. When this is destroyed, Graph::nodes are put in order,
// and ids become positions again.
class NodeOrder {
 public:
  explicit NodeOrder(Graph&);
  ~NodeOrder();
  NodeOrder(const NodeOrder&) = delete;
  NodeOrder& operator=(const NodeOrder&) = delete;

  // Inserts a node of ONNX's domain with the operator set version of the one at `place`.
  Node& insert_before(NodeId place, std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs);
  Node& insert_behind(NodeId place, std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs);
  Node& insert_before(NodeId place, Node node) { return insert(previous_[slot(place)], std::move(node), place); }
  Node& insert_behind(NodeId place, Node node) { return insert(place, std::move(node), next(place)); }
  void erase(NodeId);  // no node reads its outputs, or others compute them
  Node take(NodeId);   // erases it; what stays in Graph::nodes reads and computes nothing
  void move_before(NodeId place, NodeId);
  bool has(NodeId id) const { return next_[slot(id)] != kErased; }

  // The node and those behind it, in order.
  std::vector<NodeId> from(NodeId) const;

  // Calls f(id) for each node in order. Nodes that f inserts or moves before this one follow, and then this one again,
  // unless f erased it.
  template <class F>
  void each_node(const F& f) {
    for (NodeId id = next(kEnd); id != kEnd;) {
      const NodeId before = previous_[slot(id)];
      f(id);
      id = next(before) == id ? next(id) : next(before);
    }
  }

 private:
  static constexpr NodeId kEnd = -1, kErased = -2;
  Graph& graph_;
  std::vector<NodeId> previous_, next_;  // by slot; those of kEnd are the last node and the first
  bool changed_ = false;

  static size_t slot(NodeId id) { return size_t(id + 1); }
  NodeId next(NodeId id) const { return next_[slot(id)]; }
  Node& insert(NodeId before, Node, NodeId behind);
};

}  // namespace cppgen::passes
