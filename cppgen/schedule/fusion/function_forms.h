#pragma once
#include "cppgen/ir/program/program.h"

namespace cppgen::schedule {

// Computes elementary functions in other ways: the results differ by rounding only, of which there is more near 0. It
// runs before any fusion.
struct FunctionForms {
  bool tanh_for_sigmoid;  // USE_TANH_FOR_SIGMOID: tanh(x / 2) / 2 + 1 / 2
  bool decompose_tanh;    // USE_DECOMPOSE_TANH: 1 - 2 / (1 + exp(2 |x|)) with the sign of x
};
void apply_function_forms(ir::Program&, FunctionForms);

}  // namespace cppgen::schedule
