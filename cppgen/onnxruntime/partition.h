#pragma once
#include <cstddef>
#include <vector>

// Decides which nodes of a graph become one. Positions are those in a topological order.
namespace cppgen::ep {

struct PartitionNode {
  std::vector<size_t> sources;  // the nodes that compute what it reads; positions before its own
  bool supported = false;
};

// Connected groups of supported nodes, each as large as possible: no path between two nodes of a group leads out of it,
// and no two groups depend on each other, so that each may become one node. Positions in a group are in ascending
// order.
//
// Each node gets a level: the number of times that a path to it enters supported nodes from unsupported ones, at most.
// Supported nodes of one level that are connected through such nodes are a group: levels never decrease along a path,
// and a path that leaves supported nodes returns to them at a higher level. A group of which all readers have a higher
// level joins that of the readers with the lowest, which leaves fewer groups and breaks none of this.
std::vector<std::vector<size_t>> convex_groups(const std::vector<PartitionNode>& nodes);

}  // namespace cppgen::ep
