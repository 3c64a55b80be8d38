#include "runtime/host/model_runner.h"

#include "runtime/host/module_runner.h"
#include "runtime/values/value_binding.h"

namespace cppgen::rt {

ModelRunner::ModelRunner(const Plan& plan, const Module* module, RunPlan run_plan, std::function<void()> before_step,
                         std::string custom_operators, const BoundaryChecks& checks, HostStepListener on_step)
    : plan_(plan), run_plan_(std::move(run_plan)), checks_(checks) {
  if (module)
    module_ = std::make_unique<ModuleRunner>(*module, run_plan_, std::move(before_step), std::move(custom_operators),
                                             std::move(on_step));
}

ModelRunner::~ModelRunner() = default;

std::vector<Tensor> ModelRunner::run(std::span<const TensorView> inputs) const {
  return module_ ? tensors_of(plan_, run_values(copies_of(inputs))) : run_plan_(0, inputs);
}

std::vector<Value> ModelRunner::run_values(std::vector<Value> inputs) const {
  check_values(plan_, inputs, checks_);
  if (module_) return module_->run(std::move(inputs));
  std::vector<TensorView> views;
  for (const Value& input : inputs) views.push_back(input.tensor()->view());
  std::vector<Value> results;
  for (Tensor& result : run_plan_(0, views)) results.emplace_back(std::move(result));
  return results;
}

}  // namespace cppgen::rt
