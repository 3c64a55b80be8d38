#pragma once
#include <functional>

#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// What inference does to nodes with bodies, to what they choose, and to what reads their results, before it types them.

// Constants that bodies capture become constants of the bodies, and the condition of an If is known in its branches.
void absorb_captured_constants(Graph&, NodeId);

// An If whose condition is known becomes the nodes of the branch that it takes; the first of them then has its place,
// or what passes on its outputs. False if it is no such If.
bool take_known_branch(Graph&, NodeId);

// A tensor whose number of dimensions only a run knows is one of few. Nodes that read it become part of branches in
// which it is known: of the If that computes it, or of one that chooses by the number of dimensions.
//
// A typed If with such outputs: takes in what reads them, as long as their number of dimensions is not known. `again`
// types the If anew. False if other nodes were moved in front of it, which must be typed before.
bool sink_readers(Graph&, NodeId, const Node& untyped, const std::function<void()>& again);

// An If that chooses by the number of dimensions of what the node at `position` reads, in front of it; nodes from there
// on read the If's output. False if the node reads nothing of several ranks.
bool insert_rank_switch(Graph&, NodeId position);

// Replaces the nodes from `position` on by one that ends a run with this message; it gives what they give.
void refuse_rest(Graph&, NodeId position, const std::string& message);
// A node that takes what no run gives is never reached: it becomes one that ends a run. False if it takes none.
bool replace_unreachable(Graph&, NodeId);

}  // namespace cppgen::passes
