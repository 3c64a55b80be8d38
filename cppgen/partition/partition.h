#pragma once
#include <vector>

#include "cppgen/graph/graph.h"
#include "runtime/plan/module.h"

namespace cppgen::partition {

// A typed graph after the graph passes, split into graphs that each become one plan, and the module that runs them:
// control flow, operators on whole values, and dimensions that are known only at run time run on the host, between the
// plans.
//
// A dimension of the last kind is computed by a plan (Op::resolve) as an element of a vector. The host makes a tensor
// with these dimensions that is never read; it is an input of later plans and binds their symbols like any other input.

struct PartitionedModel {
  rt::Module module;         // without isa
  std::vector<Graph> plans;  // in the order of their numbers
};

// Returns whether the whole graph is one plan, without host steps.
bool is_one_plan(const Graph&);
PartitionedModel partition(const Graph&);

}  // namespace cppgen::partition
