#pragma once
#include "cppgen/schedule/contraction.h"

namespace cppgen::schedule {

// Whether rows of the left operand fall into the same few sets of a first-level cache: there they evict each other, and
// a line of each is needed again at every step of the depth.
bool rows_conflict(const Program&, const ContractionView&, const Layouts&, rt::TileShape, const Target&);

// Lets the rows of a contraction's left operand lie a cache line further apart where they conflict. Only temporaries
// that kernels alone touch: `library` are those that library functions see.
void pad_conflicting_rows(const Program&, const TileContraction&, const std::vector<BufferId>& library, const Target&,
                          Layouts&, DecisionLog&);

}  // namespace cppgen::schedule
