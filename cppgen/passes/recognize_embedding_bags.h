#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Turns the Loop at this position into BagPositions and ReduceBags (ops/reductions/embedding_bag.cpp) if it is what
// exporters write for an embedding bag: each round slices a list of indices by offsets, gathers rows of a table,
// multiplies them by factors sliced likewise, perhaps, and reduces them over the slice; the results are stacked. Bags
// may be empty. Inputs must be typed. False, and nothing is changed, if the Loop is another one; then it is run as it
// stands. tests/modules/embedding_bag_test.cpp
bool recognize_embedding_bag(Graph&, NodeId position);

}  // namespace cppgen::passes
