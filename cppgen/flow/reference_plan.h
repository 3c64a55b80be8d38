#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "cppgen/flow/compiler.h"
#include "cppgen/flow/reference_model.h"
#include "runtime/plan/plan.h"
#include "runtime/values/tensor.h"
#include "runtime/values/value.h"

namespace cppgen {

inline constexpr std::string_view kInterpreterEngine = "interpreter";  // of steps that the interpreter runs

// What a compiled model's plan says about inputs, outputs, symbols and steps, for the reference interpreter. It has no
// buffers and cannot be run; dimensions of outputs are left out, because some are known only after a run.
rt::Plan reference_plan(const ReferenceModel&);

// Runs the interpreter on the runtime's tensors. UserError as Session::run; `before_step` as in its options.
std::vector<rt::Tensor> run_reference(const ReferenceModel&, const rt::Plan& plan,
                                      std::span<const rt::TensorView> inputs,
                                      const std::function<void()>& before_step = {});
std::vector<rt::Value> run_reference_values(const ReferenceModel&, const rt::Plan& plan, std::vector<rt::Value> inputs,
                                            const std::function<void()>& before_step = {});

}  // namespace cppgen
