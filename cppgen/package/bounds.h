#pragma once
#include <span>
#include <string>
#include <vector>

#include "cppgen/ir/program/program.h"
#include "runtime/plan/plan.h"

namespace cppgen::package {

// States that no dimension of a tensor is negative, where that is not certain. The program is as it was lowered, so
// that its statements name the nodes.
struct SizeBound {
  ir::IndexBound bound;
  std::string node;  // that makes the tensor; may be empty
};
std::vector<SizeBound> size_bounds(const ir::Program&);
ir::IndexBound not_negative(ir::IndexExpr dim);  // 4 <= N for N - 4

// The assumptions of the arena and the bounds of sizes that involve only these symbols, for a run to check.
std::vector<rt::Bound> bounds_of(const ir::IndexArena&, const std::vector<rt::Symbol>&,
                                 std::span<const SizeBound> = {});

}  // namespace cppgen::package
