#pragma once
#include <string>
#include <vector>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/package/bounds.h"
#include "cppgen/schedule/costs.h"
#include "cppgen/schedule/kernel.h"
#include "runtime/plan/plan.h"

namespace cppgen::package {

// The position of a constant of the program in weights.bin.
struct WeightPlacement {
  ir::BufferId buffer;
  int64_t offset, bytes;
};

struct PlanAndWeights {
  rt::Plan plan;
  std::vector<WeightPlacement> weights;
};

// A pair of an input and an output that is one tensor in memory (rt::KeptState). In the program both buffers have the
// capacity in place of their lengths along the axis.
struct KeptState {
  ir::BufferId past, present;
  size_t axis;
  ir::IndexExpr past_length, present_length;
};

// The inputs of a plan besides the schedule.
struct PlanSource {
  const schedule::Schedule& schedule;
  const std::vector<codegen::KernelText>& kernels;  // in the order of the schedule's kernel steps
  const std::vector<int>& object_of_kernel;         // the shared object that contains each kernel
  std::vector<std::string> objects;                 // file names
  std::vector<std::string> input_names, output_names;
  std::string model, isa;
  std::vector<int64_t> index_extents = {};  // of the inputs (index_extents.h); empty: none
  bool keep_originals = false;              // of packed constants, as constants that no step reads
  std::vector<SizeBound> size_bounds = {};  // of the program
  std::vector<KeptState> states = {};
  schedule::Costs costs = {};
};

// The plan that runs a schedule. UserError if a dimension is known only after running (naming the tensor).
PlanAndWeights build_plan(const PlanSource&);

}  // namespace cppgen::package
