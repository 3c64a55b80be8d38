#include "runtime/session/runnable_model.h"

#include "runtime/session/cancel_scope.h"
#include "runtime/session/instruments.h"
#include "runtime/session/runnable_module.h"
#include "runtime/session/runnable_plan.h"

namespace cppgen::rt {
namespace {

BoundaryChecks boundary_checks(const SessionOptions& options) {
  return {options.size_asserts, options.scalar_asserts, options.alignment_asserts};
}

}  // namespace

RunnableModel::RunnableModel(const SessionSetup& setup, RunPlan run_plan, HostStepListener on_step)
    : setup_(setup),
      checks_(boundary_checks(setup.options)),
      runner_(plan(), setup_.executable->module(), std::move(run_plan), cancelling(setup.options.before_step),
              setup.options.custom_ops, checks_, std::move(on_step)) {}

void RunnableModel::show(std::span<const std::vector<TraceSlice>> slices) const {
  if (instruments().trace) instruments().trace->add(plan(), labels_, slices);
  if (options().on_chunks) options().on_chunks(slices);
}

std::unique_ptr<RunnableModel> make_runnable_model(const SessionSetup& setup) {
  if (setup.executable->module()) return std::make_unique<RunnableModule>(setup);
  return std::make_unique<RunnablePlan>(setup);
}

}  // namespace cppgen::rt
