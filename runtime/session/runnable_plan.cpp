#include "runtime/session/runnable_plan.h"

#include "runtime/base/errors.h"
#include "runtime/session/cancel_scope.h"
#include "runtime/session/instruments.h"
#include "runtime/session/results.h"
#include "runtime/session/step_label.h"
#include "runtime/values/input_binding.h"

namespace cppgen::rt {

RunnablePlan::RunnablePlan(const SessionSetup& given)
    : RunnableModel(given, [this](int32_t, std::span<const TensorView> inputs) { return run_plan(inputs); }),
      contexts_(*given.executable, given.executors, {options().huge_pages, options().allocator}, instruments()),
      bound_plans_(*given.executable, options(), contexts_.threads()),
      totals_(plan().steps.size()) {
  labels_ = step_labels(plan(), options().ops_stamp, options().ops_prefix);
}

// Without symbols everything is known. A version may never run.
void RunnablePlan::prepare() {
  if (plan().symbols.empty() && setup().executable->version().empty())
    ContextPool::Lease(contexts_)->bind(bound_plans_.get({}, outputs_in_arena(options())));
}

int64_t RunnablePlan::version_for(std::span<const TensorView> inputs) {
  ContextPool::Lease context(contexts_);
  bind_inputs(plan(), inputs, context->symbols(), checks());
  return setup().executable->version_for(context->symbols());
}

void RunnablePlan::run(std::span<const TensorView> inputs, std::span<const OutputView> outputs) {
  ContextPool::Lease context(contexts_);
  bind_inputs(plan(), inputs, context->symbols(), checks());
  check_input_data(plan(), inputs, checks());
  const auto bound = bound_plans_.get(context->symbols());
  check_outputs(plan(), outputs, bound->output_dims, checks());
  context->bind(bound);
  execute(context, inputs, outputs);
}

// Runs with new tensors for the outputs.
std::vector<Tensor> RunnablePlan::run_plan(std::span<const TensorView> inputs) {
  ContextPool::Lease context(contexts_);
  bind_inputs(plan(), inputs, context->symbols(), checks());
  check_input_data(plan(), inputs, checks());
  const bool in_arena = outputs_in_arena(options());
  const auto bound = bound_plans_.get(context->symbols(), in_arena);
  std::vector<Tensor> results;
  if (!in_arena) results = new_results(plan(), *bound, options().memory_pool == "outputs", options().allocator);
  context->bind(bound);
  std::vector<OutputView> views;
  for (size_t i = 0; i < plan().outputs.size(); i++)
    views.push_back(
        {plan().outputs[i].type, bound->output_dims[i], in_arena ? context->output(int32_t(i)) : results[i].data()});
  execute(context, inputs, views);
  return in_arena ? results_in_arena(plan(), *bound, *context.operator->()) : std::move(results);
}

void RunnablePlan::execute(ContextPool::Lease& context, std::span<const TensorView> inputs,
                           std::span<const OutputView> outputs) {
  context->set_tensors(inputs, outputs);
  if (!context.executor().run(context->begin_run(), cancel_of_run())) throw RunCancelled();
  show(context->slices());
  if (!instruments().profile) return;
  const std::lock_guard lock(mutex_);
  context->add_times(totals_);
}

std::vector<std::vector<int64_t>> RunnablePlan::output_dims(std::span<const TensorView> inputs) {
  ContextPool::Lease context(contexts_);
  bind_inputs(plan(), inputs, context->symbols(), checks());
  return bound_plans_.get(context->symbols())->output_dims;
}

void RunnablePlan::set_parameter(const Parameter& parameter, const TensorView& value) {
  Tensor copy = value.data ? copy_of(value) : Tensor();
  contexts_.replace(parameter.buffer, value.data ? copy.data() : nullptr);
  parameters_[parameter.buffer] = std::move(copy);
}

std::vector<StepProfile> RunnablePlan::profile() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

}  // namespace cppgen::rt
