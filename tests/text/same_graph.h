#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen {

// Adds a test failure unless the graphs are the same, apart from ids and the order of creation in their arenas. It
// compares the graphs themselves, field by field, so that what a text leaves out is found.
void expect_same_graph(const Graph& a, const Graph& b);

// The graph is printed, read, and the same; and printing that gives the same text.
void expect_round_trip(const Graph&);

}  // namespace cppgen
