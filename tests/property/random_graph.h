#pragma once
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::property {

// The elements that a graph input is sampled from. Index inputs must stay in range; other values are free.
struct InputRange {
  double lo = -2, hi = 2;
};

// The facts about a value's elements: |v| <= bound, and how far a compiled result may be from the interpreter's.
// An error of 0 means that both give the same bits, so that discontinuous operators may follow.
struct Fact {
  double bound = 2, error = 0;
};

struct RandomGraph {
  Graph graph;
  std::map<std::string, InputRange> ranges;  // by input name; others have the default of their type
  std::vector<Fact> facts;                   // by ValueId
  int64_t symbol_value = 1;                  // of the symbol N, if the graph has one
  bool special_values = false;               // float inputs hold NaN, infinities and signed zeros
};

// A typed graph of 10 nodes or more, the same for the same seed.
RandomGraph make_random_graph(uint64_t seed);

// Removes node `id`: its outputs become inputs, and nodes and values that are no longer needed are removed too.
RandomGraph without_node(const RandomGraph&, NodeId id);
// Returns the graph with this one output only.
RandomGraph with_output(const RandomGraph&, ValueId output);

// One unit in the last place of 1, as results are rounded to this type.
double unit_of(DType);

}  // namespace cppgen::property
