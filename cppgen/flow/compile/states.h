#pragma once
#include <span>
#include <vector>

#include "cppgen/flow/compile/state_option.h"
#include "cppgen/graph/graph.h"
#include "cppgen/ir/program/program.h"
#include "cppgen/package/plan_builder.h"

namespace cppgen {

// Notes in the graph as it was imported which outputs are kept in which inputs, and lets nodes GroupQueryAttention
// whose caches are such pairs append to them, rather than store where their data say; kernels check that this is the
// same. UserError for a name that is none.
void note_states(Graph&, std::span<const StateOption>);
// Returns the state as --state gives it, by names.
StateOption option_of(const Graph&, const KeptOutput&);

// Makes each pair of the lowered graph one tensor in memory with room for its capacity. The program must store the
// input at the same indices of the output, which is no longer done, and all else of the output behind these positions,
// so that a run reads and stores disjoint elements of the memory. That the output does not exceed the capacity becomes
// an assumption of the arena. Nothing else in the program says what is kept: only plans need what is returned.
// UserError naming the tensors if the pair does not grow along one axis, other inputs do not determine the rest of its
// shape, the lengths of two pairs do not grow alike, or the program computes the output otherwise.
std::vector<package::KeptState> keep_states(ir::Program&, const std::vector<KeptOutput>&);

}  // namespace cppgen
