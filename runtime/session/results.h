#pragma once
#include <memory>
#include <vector>

#include "runtime/session/run_context.h"
#include "runtime/values/tensor.h"

namespace cppgen::rt {

// New tensors for the results of a run: each with memory of its own, or `together` in one allocation.
std::vector<Tensor> new_results(const Plan&, const BoundPlan&, bool together, const AllocatorPointer&);

// The results of a run whose outputs are in the context's arena, which they keep alive.
std::vector<Tensor> results_in_arena(const Plan&, const BoundPlan&, RunContext&);

}  // namespace cppgen::rt
