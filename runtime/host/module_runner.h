#pragma once
#include <functional>
#include <span>
#include <vector>

#include "runtime/host/host_functions.h"
#include "runtime/host/run_plan.h"
#include "runtime/plan/calls/host_steps.h"
#include "runtime/plan/module.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

// Runs a module: its steps in order, each body in a frame of slots, with values freed after their last use. The caller
// provides the function that runs plans, so that compiled plans and interpreted programs share one control flow. Used
// from many threads at once.
class ModuleRunner {
 public:
  // UserError if the module calls a function that does not exist, or a custom operator's that `custom_operators` (see
  // SessionOptions) does not describe. The module outlives the runner. `before_step` is called before each step of each
  // body, unless null; an exception that it throws ends the run. `on_step`, unless null, gets the time of each step
  // that ended without an error, on the thread that ran it.
  ModuleRunner(const Module&, RunPlan, std::function<void()> before_step = {}, std::string custom_operators = {},
               HostStepListener on_step = {});

  // Returns the outputs in the order of the model. UserError naming the node if a step fails.
  std::vector<Value> run(std::vector<Value> inputs) const;

 private:
  using Frame = std::vector<Value>;
  struct PreparedStep {
    HostFunction function;            // HostOp::function
    PlanStepCall plan;                // HostOp::plan
    ScanCall scan;                    // HostOp::scan
    std::vector<int32_t> last_reads;  // slots that nothing reads later
    size_t number;                    // HostStepTime::step
  };

  void begin_step() const {
    if (before_step_) before_step_();
  }
  std::vector<Value> run_body(int32_t body, std::vector<Value> inputs) const;
  std::vector<Value> run_step(const HostStep&, const PreparedStep&, const Frame&) const;
  std::vector<Value> timed_step(const HostStep&, const PreparedStep&, const Frame&) const;
  std::vector<Value> run_plan(const HostStep&, const PlanStepCall&, const Frame&) const;
  std::vector<Value> run_branch(const HostStep&, const Frame&) const;
  std::vector<Value> run_loop(const HostStep&, const Frame&) const;
  std::vector<Value> run_scan(const HostStep&, const ScanCall&, const Frame&) const;
  std::vector<Value> scan(const HostCall&, const ScanCall&, const Frame&) const;
  std::vector<Value> run_map(const HostStep&, const Frame&) const;
  void prepare(size_t body);

  const Module& module_;
  RunPlan run_plan_;
  std::function<void()> before_step_;
  const std::string custom_operators_;
  const HostStepListener on_step_;
  std::vector<std::vector<PreparedStep>> prepared_;
};

}  // namespace cppgen::rt
