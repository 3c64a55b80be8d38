#include "runtime/session/library_table.h"

#include <algorithm>

#include "runtime/base/errors.h"
#include "runtime/plan/calls/onednn.h"
#include "runtime/plan/calls/xsmm.h"
#include "runtime/plugins/plugins.h"

namespace cppgen::rt {

const LibraryFunction* find_library_function(std::string_view name) {
  const auto table = name == kOneDnnContraction ? onednn_functions()
                     : name == kXsmmContraction ? xsmm_functions()
                                                : library_functions();
  for (const LibraryFunction& function : table)
    if (function.name == name) return &function;
  return nullptr;
}

static bool is_parameter(const Plan& plan, int32_t buffer) {
  return std::any_of(plan.parameters.begin(), plan.parameters.end(),
                     [&](const Parameter& parameter) { return parameter.buffer == buffer; });
}

std::vector<std::unique_ptr<LibraryOperator>> make_operators(const Executable& executable) {
  const Plan& plan = executable.plan();
  std::vector<std::unique_ptr<LibraryOperator>> operators(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); i++) {
    const Step& step = plan.steps[i];
    if (step.kind != StepKind::library) continue;
    const LibraryFunction* function = find_library_function(step.name);
    if (!function) user_error("plan: step {} needs the function '{}', which this runtime does not have", i, step.name);
    std::vector<const void*> constants;
    for (int32_t id : step.buffers) {
      const PlanBuffer& buffer = plan.buffers[size_t(id)];
      const bool constant = buffer.kind == PlanBufferKind::constant && !is_parameter(plan, id);
      constants.push_back(constant ? executable.weights() + buffer.offset : nullptr);
    }
    const auto outputs = size_t(step.output_count);
    operators[i] = function->create({step.name, step.buffers.size() - outputs, outputs, constants});
  }
  return operators;
}

}  // namespace cppgen::rt
