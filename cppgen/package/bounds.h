#pragma once
#include <vector>

#include "cppgen/ir/index_expr.h"
#include "runtime/plan/plan.h"

namespace cppgen::package {

// What the arena takes to hold, for a run to check: of it all that is about these symbols alone.
std::vector<rt::Bound> bounds_of(const ir::IndexArena&, const std::vector<rt::Symbol>&);

}  // namespace cppgen::package
