#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/values/tensor.h"

namespace cppgen::rt {

// The checks of tensors that a caller may do without: SIZE_ASSERTS, SCALAR_ASSERTS, ALIGNMENT_ASSERTS.
struct BoundaryChecks {
  bool sizes = true;      // dimensions are those that the plan requires
  bool bounds = true;     // Plan::bounds hold
  bool alignment = true;  // data are aligned to their elements
};

// Checks the number, types and ranks of the inputs of a run, and that no dimension is negative. UserError as below.
void check_input_forms(const Plan& plan, std::span<const TensorView> inputs);

// Checks the inputs of a run against the plan: their number, types, ranks, dimensions and bounds. Writes the value of
// each symbol to `symbols` (of that size), in the order of Plan::symbols. UserError naming the input, the axis, the
// value found, and the value expected with its reason. Allocates nothing unless it throws.
void bind_inputs(const Plan& plan, std::span<const TensorView> inputs, std::span<int64_t> symbols,
                 const BoundaryChecks& = {});

// Checks that inputs with elements have data that is aligned to an element.
void check_input_data(const Plan& plan, std::span<const TensorView> inputs, const BoundaryChecks& = {});

// Checks that the caller's outputs have exactly the types and dimensions of the results.
void check_outputs(const Plan& plan, std::span<const OutputView> outputs,
                   std::span<const std::vector<int64_t>> expected, const BoundaryChecks& = {});

}  // namespace cppgen::rt
