#pragma once
#include "cppgen/ir/interpreter/nest_space.h"
#include "cppgen/ir/program/prefix_reduction.h"

namespace cppgen::ir {

// The slot of the loop that strips of this nest should run along, or -1 if it has no loop. Any of `loops` will do,
// since its points are independent, or the innermost reduced loop. Estimated: a cost per strip and operation, and one
// per element that depends on the strides of the loads; so short reductions run along an outer loop instead. With
// `prefix`, one of `loops` other than its own, whose points run in order.
int choose_lane(const LoopNest&, NestSpace&, const std::optional<PrefixReduction>& prefix = std::nullopt);

}  // namespace cppgen::ir
