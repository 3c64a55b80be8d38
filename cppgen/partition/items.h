#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ops/op.h"
#include "runtime/plan/module.h"

namespace cppgen::partition {

// A node of a graph that is split, or a step that is inserted between nodes.
struct Item {
  bool host = false;
  Node node;
  rt::HostStep step;              // the host step, without slots
  ops::ComparedDims compared;     // dimensions that the step compares; the run ends if they differ
  std::vector<ValueId> carriers;  // items that must run before: they bind dimensions of the outputs, or compare some
  int level = 0;                  // plans run in the order of levels, each followed by the host's items of its level
};

// The source of a symbol's value: a dimension of a value.
struct Source {
  ValueId value;
  size_t axis;
};
using Sources = std::map<std::string, Source>;

// The items of the graph in an order that respects their levels, and the sources of its symbols. Values that the items
// require are added to the graph.
std::vector<Item> make_items(Graph&, Sources&);

// Symbols in the type and contents of a value.
std::vector<std::string> symbols_of(const Value&);

}  // namespace cppgen::partition
