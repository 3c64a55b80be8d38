#pragma once
#include <vector>

#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Whether rows of the left operand fall into the same few sets of a first-level cache: there they evict each other, and
// a line of each is needed again at every step of the depth.
bool rows_conflict(const Program&, const ContractionView&, const Layouts&, rt::TileShape, const Target&);

// Lets the rows of left operands lie a cache line further apart where they conflict: only rows of temporaries that
// kernels alone touch, because functions of the library and repetitions expect no gaps. `steps` by statement.
void pad_conflicting_rows(Schedule&, const std::vector<ContractionStep>& steps, const Target&);

}  // namespace cppgen::schedule
