#pragma once
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen {

// Knows who uses each value of a graph. Whoever changes the graph afterwards says so here.
class Users {
 public:
  explicit Users(const Graph&);

  // The nodes that read the value, each as often as it reads it.
  const std::vector<NodeId>& nodes(ValueId) const;
  // Returns how often nodes read the value and the graph returns it.
  int count(ValueId) const;
  // The node that reads the value, if that is its only use; -1 otherwise.
  NodeId only_node(ValueId) const;

  void add(const Node&);     // which reads its inputs from now on
  void remove(const Node&);  // which reads them no longer
  void set_input(Node&, size_t i, ValueId);

 private:
  struct Of {
    std::vector<NodeId> nodes;
    int outputs = 0;
  };
  std::vector<Of> users_;  // by value; values may be added to the graph

  const Of& of(ValueId) const;
};

}  // namespace cppgen
