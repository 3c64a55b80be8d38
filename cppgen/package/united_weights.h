#pragma once
#include <string>
#include <vector>

#include "cppgen/package/plan_builder.h"

namespace cppgen::package {

// A file of weights that was written, the positions of its constants, and its plan.
struct WrittenWeights {
  std::string path;
  const std::vector<WeightPlacement>* placements;
  rt::Plan* plan;
};

// Makes one file of the weights of several versions of a model: the first one, followed by what the others contain in
// addition, each constant once. The other paths become links to it, or copies where there are no links, and the plans
// get the new positions. UserError if a file cannot be written.
void unite_weights(const std::vector<WrittenWeights>&);

}  // namespace cppgen::package
