#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/values/tensor.h"

namespace cppgen::rt {

// Runs the plan with this number, by a session or by the interpreter.
using RunPlan = std::function<std::vector<Tensor>(int32_t plan, std::span<const TensorView> inputs)>;

// The time of a step of a module that is not a plan.
struct HostStepTime {
  size_t step;               // its number among these steps, in the order of the bodies (as in outline_of)
  int64_t begin_ns, end_ns;  // of the steady clock
  int64_t inside_ns;         // between them, in plans and in other steps of this kind
};
using HostStepListener = std::function<void(const HostStepTime&)>;

}  // namespace cppgen::rt
