#pragma once
#include "cppgen/passes/node_order.h"

namespace cppgen::passes {

// Turns a Loop into BagPositions and ReduceBags (ops/reductions/embedding_bag.cpp) if it is what exporters write for an
// embedding bag: each iteration slices a list of indices by offsets, gathers rows of a table, optionally multiplies
// them by factors that are sliced likewise, and reduces them over the slice; the results are stacked. Bags may be
// empty. Inputs must be typed. False, with nothing changed, for any other Loop, which is then run as it is.
// tests/modules/embedding_bag_test.cpp
bool recognize_embedding_bag(Graph&, NodeOrder&, NodeId);

}  // namespace cppgen::passes
