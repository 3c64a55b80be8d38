#pragma once
#include <span>
#include <string>
#include <vector>

#include "cppgen/flow/compile/state_option.h"
#include "cppgen/graph/graph.h"
#include "cppgen/ir/program/program.h"
#include "cppgen/package/plan_builder.h"

namespace cppgen {

// Lets nodes GroupQueryAttention whose caches are such pairs append to them, rather than store where their data say;
// kernels check that this is the same. For the graph as it was imported.
void append_to_states(Graph&, std::span<const StateOption>);

// Makes each pair one tensor in memory with room for its capacity. The program must store `past` at the same indices
// of `present`, which is no longer done, and all else of `present` behind these positions, so that a run reads and
// stores disjoint elements of the memory. That `present` does not exceed the capacity becomes an assumption of the
// arena. The names are those of the program's inputs and outputs. UserError naming the tensors if a name is none, the
// pair does not grow along one axis, other inputs do not determine the rest of its shape, the lengths of two pairs do
// not grow alike, or the program computes `present` otherwise.
std::vector<package::KeptState> keep_states(ir::Program&, std::span<const StateOption>,
                                            const std::vector<std::string>& input_names,
                                            const std::vector<std::string>& output_names);

}  // namespace cppgen
