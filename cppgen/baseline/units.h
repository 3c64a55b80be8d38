#pragma once
#include <set>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::baseline {

// Results of attempts to build nodes.
struct Choices {
  std::set<NodeId> refused;  // oneDNN has no primitive: our kernels
  std::set<NodeId> alone;    // oneDNN has one, but not with post-operations
};

// One step: a primitive with its post-operations, or a group of nodes for our kernels.
struct Unit {
  bool ours = false;
  std::vector<NodeId> nodes;  // of a primitive: its node, then those of the post-operations in order
};

// All nodes in a legal order: units read only inputs, constants and results of earlier units. A node that can be a
// post-operation joins the primitive of which it is the only reader. Groups for our kernels are as large as the order
// allows.
std::vector<Unit> plan_units(const Graph&, const Choices&);

// The output of a unit's last node. This is only for primitives.
ValueId result_of(const Graph&, const Unit&);

}  // namespace cppgen::baseline
