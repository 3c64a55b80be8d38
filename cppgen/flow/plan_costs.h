#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen {

// What a step takes: multiply-adds of contractions (each is two operations; plans count no others) and memory traffic.
struct StepCost {
  double calls = 1;           // in a run of the plan: more than one in a repetition
  double flops = 0;           // of one call, like the rest
  double bytes = 0;           // of all buffers that it accesses, each counted once
  double constant_bytes = 0;  // those of constants
};

struct PlanCosts {
  std::vector<StepCost> steps;
  int64_t weights_bytes = 0;
  int64_t arena_bytes = 0;              // intermediate values
  std::vector<int64_t> sizes, offsets;  // in bytes, of each buffer; offsets in the arena, -1 if it is not there

  double run_bytes() const { return double(weights_bytes + arena_bytes); }  // what a run uses besides its arguments
};

// The costs for these sizes of the plan's symbols. Of a repetition, every call counts like the first one. UserError if
// the sizes contradict each other.
PlanCosts plan_costs(const rt::Plan&, std::span<const int64_t> symbols);

// Bytes of the constants that the step reads; 0 in the outline of a module, which does not know them.
double constant_bytes(const rt::Plan&, const rt::Step&);

}  // namespace cppgen
