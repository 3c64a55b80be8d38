#pragma once
#include <functional>
#include <string_view>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/reference/reference_model.h"
#include "runtime/host/model_runner.h"
#include "runtime/plan/plan.h"

namespace cppgen {

inline constexpr std::string_view kInterpreterEngine = "interpreter";  // of steps that the interpreter runs

// The inputs, outputs, symbols and steps of a model as a plan, for the reference interpreter. It has no buffers and
// cannot be run; dimensions of outputs are omitted, because some are known only after a run.
rt::Plan reference_plan(const ReferenceModel&);

// Runs the interpreter on the runtime's values, as a Session does; `plan` is the model's. Both must outlive the runner.
rt::ModelRunner reference_runner(const ReferenceModel&, const rt::Plan& plan, std::function<void()> before_step = {});

}  // namespace cppgen
