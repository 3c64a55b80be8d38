#pragma once
#include <cstdint>
#include <span>

#include "runtime/plan/plan.h"
#include "runtime/session/bound_plan.h"

namespace cppgen::rt {

// A step of a run with its buffers.
struct StepInRun {
  const Plan& plan;
  const BoundPlan& bound;
  int64_t run;                           // a number of this run
  size_t position;                       // in BoundPlan::steps
  std::span<void* const> buffers;        // as Step::buffers
  std::span<const size_t> last_writers;  // by buffer: the position of the last step that writes it

  const Step& step() const { return plan.steps[bound.steps[position].step]; }
  size_t first_output() const { return buffers.size() - size_t(step().output_count); }
  const PlanBuffer& info(size_t argument) const { return plan.buffers[size_t(step().buffers[argument])]; }
  int64_t bytes(size_t argument) const { return bound.sizes[size_t(step().buffers[argument])]; }
};

// Looks at the buffers of the steps of a session's runs. Called by one thread of a run at a time, and for several runs
// at once. A UserError that it throws ends the run.
class StepInspector {
 public:
  virtual ~StepInspector() = default;
  virtual void before(const StepInRun&) {}
  virtual void after(const StepInRun&) = 0;
};

}  // namespace cppgen::rt
