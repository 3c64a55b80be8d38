#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Turns the RNN, GRU or LSTM at this position into one Scan per direction over a body of one step, if the number of
// steps is known to a run only or too large to be unrolled. Nodes that the Scans read stand before them, the first at
// `position`. Inputs must be typed. False if there is nothing to do. tests/modules/recurrences_test.cpp
bool expand_recurrence(Graph&, NodeId position);

}  // namespace cppgen::passes
