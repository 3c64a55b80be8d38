#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/values/tensor.h"

namespace cppgen::rt {

// Runs the plan with this number, by a session or by the interpreter.
using RunPlan = std::function<std::vector<Tensor>(int32_t plan, std::span<const TensorView> inputs)>;

}  // namespace cppgen::rt
