#pragma once
#include <functional>

#include "cppgen/passes/node_order.h"

namespace cppgen::passes {

// Transformations that inference applies to nodes with bodies, and to the readers of their results, before it types
// them.

// Constants that bodies capture become constants of the bodies, and the condition of an If is known in its branches.
void absorb_captured_constants(Graph&, NodeId);

// Values that a Loop carries although its body passes them on as they are become captures: exporters carry weights in
// this way, which then are constants of the body. True if nodes that forward final values were inserted before the
// Loop.
bool capture_unchanged_states(Graph&, NodeOrder&, NodeId);

// Replaces an If whose condition is known by the nodes of the branch that it takes, and nodes that forward its outputs.
// False if it is not such an If.
bool take_known_branch(Graph&, NodeOrder&, NodeId);

// A tensor whose number of dimensions is known only at run time has one of a few ranks. Nodes that read it are moved
// into branches in which the rank is known: those of the If that computes it, or those of a new If on the rank.
//
// Moves the readers of such outputs into a typed If until all ranks are known. `again` types the If again. False if
// other nodes were moved before it, which must be typed first.
bool sink_readers(Graph&, NodeOrder&, NodeId, const Node& untyped, const std::function<void()>& again);

// Inserts an If on the rank of the node's input before the node; it and nodes behind it read the If's output. False if
// the node has no input with several possible ranks.
bool insert_rank_switch(Graph&, NodeOrder&, NodeId);

// Replaces the node and all behind it by one node that ends a run with this message. All outputs of the graph become
// outputs of this node.
void refuse_rest(Graph&, NodeOrder&, NodeId, const std::string& message);
// A node with an input that no run produces is never reached: it is replaced by a node that ends a run. False if it has
// no such input.
bool replace_unreachable(Graph&, NodeOrder&, NodeId);

}  // namespace cppgen::passes
