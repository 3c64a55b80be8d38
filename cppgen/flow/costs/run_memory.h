#pragma once
#include <cstdint>

#include "cppgen/flow/costs/plan_costs.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/sample_sizes.h"

namespace cppgen {

// The memory of a session and of a run in it, in bytes.
struct RunMemory {
  int64_t weights = 0;  // packed
  int64_t inputs = 0;   // of the model
  int64_t outputs = 0;  // of the model, unless they are in the arena of a single plan
  int64_t arenas = 0;   // intermediate values of all plans, which a session keeps, and those between plans
  int64_t scratch = 0;  // of the kernels of all plans, on all threads; library functions add little
  int64_t peak() const { return weights + inputs + outputs + arenas + scratch; }

  // Adds what one more plan takes. `symbols` are the sizes for which the costs are.
  void add(const rt::Plan&, const PlanCosts&, std::span<const int64_t> symbols, int threads);

  // Is called for a model of several plans, once all are added. The outline describes its inputs and outputs; symbols
  // without a size are 1. Results of plans that are no outputs of the model are values between plans.
  void take_arguments_of(const rt::Plan& outline, const rt::NamedSizes&);
};

}  // namespace cppgen
