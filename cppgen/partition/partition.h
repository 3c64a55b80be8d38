#pragma once
#include <vector>

#include "cppgen/graph/graph.h"
#include "runtime/plan/module.h"

namespace cppgen::partition {

// A typed graph after its passes, cut into graphs that each become one plan, and the module that runs them: control
// flow, operators on whole values, and dimensions that only a run knows stand between the plans.
//
// A dimension of the last kind is computed by a plan (Op::resolve) as an element of a vector. The host makes a tensor
// of these dimensions that nobody reads; it is an input of later plans, and so binds their symbols like any other
// input.

struct PartitionedModel {
  rt::Module module;         // without isa
  std::vector<Graph> plans;  // in the order of their numbers
};

// Nothing of it is the host's: the whole graph is one plan.
bool is_one_plan(const Graph&);
PartitionedModel partition(const Graph&);

}  // namespace cppgen::partition
