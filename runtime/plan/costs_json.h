#pragma once
#include <span>
#include <string>
#include <string_view>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

// The content of costs.json: the costs of all steps of these plans. A change of the fields of StepCosts needs another
// version, and no other format of packages.
std::string costs_to_json(std::span<const Plan> plans);

// Sets them in the plans of the same package, in the same order, as Plan::has_costs says. False, without an effect, for
// a file of another version. UserError if it is malformed or belongs to other plans.
bool costs_from_json(std::string_view text, std::span<Plan* const> plans);

}  // namespace cppgen::rt
