#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/host/run_plan.h"
#include "runtime/plan/module.h"
#include "runtime/values/input_binding.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

class ModuleRunner;

// Runs a model of one plan, or of several plans and the module that joins them, independently of what runs the plans:
// sessions and the interpreter share its control flow, and its checks and conversions of the model's inputs and
// outputs. Used from many threads at once.
class ModelRunner {
 public:
  // `plan` is the model's one plan, or the outline of its module (null: of one plan). Both outlive the runner. Plans
  // check their own inputs. For the functions and `custom_operators` see ModuleRunner.
  ModelRunner(const Plan& plan, const Module* module, RunPlan, std::function<void()> before_step = {},
              std::string custom_operators = {}, const BoundaryChecks& = {}, HostStepListener on_step = {});
  ~ModelRunner();

  // Inputs and outputs in the order of the model. UserError naming an input that does not match, an output that is not
  // a tensor, or the node of a step that fails.
  std::vector<Tensor> run(std::span<const TensorView> inputs) const;
  std::vector<Value> run_values(std::vector<Value> inputs) const;

 private:
  const Plan& plan_;
  RunPlan run_plan_;
  const BoundaryChecks checks_;
  std::unique_ptr<const ModuleRunner> module_;
};

}  // namespace cppgen::rt
