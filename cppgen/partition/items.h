#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ops/op.h"
#include "runtime/plan/module.h"

namespace cppgen::partition {

// A node of a graph that is cut, or what is put between nodes.
struct Item {
  bool host = false;
  Node node;
  rt::HostStep step;              // of the host, without slots
  ops::ComparedDims compared;     // what the step finds equal, else the run ends
  std::vector<ValueId> carriers;  // must be there before: they bind dimensions of the outputs, or show that some agree
  int level = 0;                  // plans run in the order of levels, each followed by the host's items of its level
};

// Where the value of a symbol comes from: a dimension of a value.
struct Source {
  ValueId value;
  size_t axis;
};
using Sources = std::map<std::string, Source>;

// Items of the graph in an order that respects their levels, the values that they need added to the graph, and the
// sources of symbols that have one in it.
std::vector<Item> make_items(Graph&, Sources&);

// Symbols in the type and contents of a value.
std::vector<std::string> symbols_of(const Value&);

}  // namespace cppgen::partition
