#pragma once
#include "cppgen/schedule/fusion/group.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

// Makes the kernel of a group: it decides which buffers stay inside it, orders and joins its loops, merges segments
// that run over the same points, and removes results that are not read.
FusedKernel make_kernel(ir::Program&, const Layouts&, const Uses&, const Group&, const Options&, const Tuning&,
                        const std::string& name);

// Makes the kernel of a contraction that runs on tiles.
FusedKernel make_tile_kernel(const ir::LoopNest&, TileContraction, const std::string& name);

// Fills in the inputs and outputs: the buffers in memory that the kernel's segments and operands access.
void collect_arguments(FusedKernel&);

}  // namespace cppgen::schedule
