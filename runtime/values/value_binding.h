#pragma once
#include <span>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/values/input_binding.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

// Checks of values of any kind at the inputs and outputs of a model. All throw a UserError naming the input or output
// that does not match.

// Checks their number, kinds, element types, ranks and dimensions, and returns the value of each symbol. Null pointers
// are passed on.
std::vector<int64_t> check_values(const Plan&, std::span<const Value> inputs, const BoundaryChecks& = {});
// Does the same for the inputs of a model whose inputs all have dimensions.
std::vector<int64_t> symbols_of(const Plan&, std::span<const TensorView> inputs, const BoundaryChecks& = {});
std::vector<Value> copies_of(std::span<const TensorView> inputs);
std::vector<Tensor> tensors_of(const Plan&, std::vector<Value> outputs);
// Copies results into the caller's memory, which must have their types and dimensions.
void copy_results(const Plan&, const std::vector<Tensor>& results, std::span<const OutputView> outputs);
// Checks only dimensions that do not depend on data.
std::vector<std::vector<int64_t>> declared_output_dims(const Plan&, std::span<const TensorView> inputs);

}  // namespace cppgen::rt
