#pragma once
#include <vector>

#include "cppgen/import/summary.h"
#include "runtime/plan/plan.h"

namespace cppgen {

// Inputs, outputs or parameters of a plan as a summary of a model has them: sizes as text, those that depend on inputs
// as names or formulas.
std::vector<ModelSummary::Tensor> summaries_of(const std::vector<rt::TensorInfo>&, const rt::Plan&);

}  // namespace cppgen
