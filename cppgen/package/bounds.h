#pragma once
#include <vector>

#include "cppgen/ir/index_expr.h"
#include "runtime/plan/plan.h"

namespace cppgen::package {

// The assumptions of the arena that involve only these symbols, for a run to check.
std::vector<rt::Bound> bounds_of(const ir::IndexArena&, const std::vector<rt::Symbol>&);

}  // namespace cppgen::package
