#pragma once
#include "cppgen/schedule/kernels/loop_order.h"

namespace cppgen::schedule {

// Counts the accesses with stride 1 along the loop, the loads with stride 2, and the accesses with any other stride.
struct Contiguity {
  int64_t unit = 0, every_other = 0, other = 0;
};
Contiguity contiguity(const FusedKernel&, const std::vector<Access>&, const ir::Loop&);

bool is_value_local(const FusedKernel&, ir::BufferId);
bool has_inner_loops(const FusedKernel&);
bool has_arg_reduction(const Segment&);

// Moves another loop to the last place if loaded elements have no constant stride along the last one, whose points
// would be costly lanes, but have one along the other. This holds even if stored elements are then not contiguous.
void choose_last_loop(const std::vector<Access>&, const Tuning&, FusedKernel&);

// Decides whether the points of the last outer loop or of the segments' innermost loops are lanes.
void choose_vector_loop(const std::vector<Access>&, const Tuning&, FusedKernel&);

}  // namespace cppgen::schedule
