#pragma once
#include <set>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// Both passes leave nests alone that store into `kept`.

// Reductions over at most UNROLL_REDUCTIONS_THRESHOLD points become pointwise expressions.
void unroll_small_reductions(ir::Program&, const Options&, const std::set<ir::BufferId>& kept, DecisionLog&);

// Long reductions with few results become two nests: partial results over equal parts of the outermost reduced loop,
// then their combination. Parts depend on shapes alone, so results never depend on the number of threads.
void split_long_reductions(ir::Program&, const Options&, const std::set<ir::BufferId>& kept, DecisionLog&);

}  // namespace cppgen::schedule
