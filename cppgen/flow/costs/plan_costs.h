#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/memory/planner.h"
#include "runtime/plan/plan.h"
#include "runtime/session/profile.h"

namespace cppgen {

// The work of a step in one call: operations and bytes, as its plan states it (rt::Step).
struct StepCost : rt::StepCosts<double> {
  double calls = 1;  // in a run of the plan: more than one in a repetition
  double flops = 0;
  double rate = 1;            // the highest at which the CPU executes them (rt::Step)
  double bytes = 0;           // read and written, each element counted once
  double constant_bytes = 0;  // those of constants
  double units = 1;           // of its range; 1 of a library step
  double chunks = 1;          // that threads share
};

// States how units of a product with constants, a contraction on tiles, are numbered.
struct StepDivision {
  double groups = 1;        // of panels, each of which is a unit for the same rows
  bool by_columns = false;  // neighbouring units are rows of the same panels
  double left_bytes = 0;    // of the other operand; 0: the step is no such product
};

struct PlanCosts {
  std::vector<StepCost> steps;
  int64_t weights_bytes = 0;
  int64_t arena_bytes = 0;              // intermediate values, and outputs if they are placed there
  std::vector<int64_t> sizes, offsets;  // in bytes, of each buffer; offsets in the arena, -1 if it is not there

  double run_bytes() const { return double(weights_bytes + arena_bytes); }  // what a run uses besides its arguments
};

// The costs for these sizes of the plan's symbols. Of a repetition, every call counts like the first one. Library steps
// count as one chunk. UserError if the sizes contradict each other.
PlanCosts plan_costs(const rt::Plan&, std::span<const int64_t> symbols, int64_t min_chunk_size, rt::MemoryOptions);

// The cost of one call of a step, by what a session measured of it; `calls` is 1. There has been a call.
StepCost cost_of_call(const rt::Plan&, size_t step, const rt::StepProfile&);

// Bytes of the constants that the step reads; 0 in the outline of a module, which does not know them.
double constant_bytes(const rt::Plan&, const rt::Step&);

}  // namespace cppgen
