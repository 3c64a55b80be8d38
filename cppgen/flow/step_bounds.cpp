#include "cppgen/flow/step_bounds.h"

#include "cppgen/compile/peaks.h"

namespace cppgen {

StepBound bound_of(const StepCost& cost, double run_bytes, const MachinePeaks& peaks) {
  const double others = cost.bytes - cost.constant_bytes;
  const MachinePeaks::Level& of_constants = peaks.level_for(run_bytes);
  const MachinePeaks::Level& of_others = peaks.level_for(others);
  StepBound bound;
  bound.arithmetic_ns = cost.flops / peaks.gflops;
  bound.memory_ns = cost.constant_bytes / of_constants.gb_per_second + others / of_others.gb_per_second;
  bound.level = cost.constant_bytes > others ? of_constants.name : of_others.name;
  return bound;
}

}  // namespace cppgen
