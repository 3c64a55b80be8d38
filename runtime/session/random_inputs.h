#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/session/tensor.h"

namespace cppgen::rt {

// Inputs for a model, the same for equal arguments on every machine: floats near normal(0, 1) (the sum of twelve
// uniform numbers, so within -6 to 6), integers that index a table uniform in it, other integers and bools 0 or 1.
// `symbols` has the values of named dimensions; UserError naming one that is missing, unknown or makes a size negative.
std::vector<Tensor> random_inputs(const Plan& plan, const std::map<std::string, int64_t>& symbols, uint64_t seed);

}  // namespace cppgen::rt
