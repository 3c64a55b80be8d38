#pragma once
#include <cstdint>

#include "cppgen/flow/plan_costs.h"
#include "runtime/plan/plan.h"

namespace cppgen {

// The memory of a session and of a run in it, in bytes.
struct RunMemory {
  int64_t weights = 0;  // packed
  int64_t inputs = 0;   // of the plan whose inputs and outputs take most
  int64_t outputs = 0;  // of the same plan, unless they are in its arena
  int64_t arenas = 0;   // intermediate values of all plans, which a session keeps
  int64_t scratch = 0;  // of the kernels of all plans, on all threads; library functions add little
  int64_t peak() const { return weights + inputs + outputs + arenas + scratch; }

  // Adds what one more plan takes. `symbols` are the sizes for which the costs are.
  void add(const rt::Plan&, const PlanCosts&, std::span<const int64_t> symbols, int threads);
};

}  // namespace cppgen
