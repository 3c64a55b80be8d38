#pragma once
#include <span>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

// Values of any kind at the borders of a model. All throw a UserError naming the input or output that does not fit.

// Their number, kinds, element types, ranks and dimensions. Null pointers are passed on.
void check_values(const Plan&, std::span<const Value> inputs);
std::vector<Value> copies_of(std::span<const TensorView> inputs);
std::vector<Tensor> tensors_of(const Plan&, std::vector<Value> outputs);
// Into the caller's memory, which must have the types and dimensions of the results.
void copy_results(const Plan&, const std::vector<Tensor>& results, std::span<const OutputView> outputs);
// Where inputs alone decide them.
std::vector<std::vector<int64_t>> declared_output_dims(const Plan&, std::span<const TensorView> inputs);

}  // namespace cppgen::rt
