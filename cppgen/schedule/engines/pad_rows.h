#pragma once
#include <vector>

#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Tells whether rows of the left operand fall into the same few sets of a first-level cache: there they evict each
// other, and a line of each is needed again at every step of the depth.
bool rows_conflict(const Program&, const ContractionView&, const Layouts&, rt::TileShape, const Target&, const Tuning&);

// Lets rows of left operands that conflict lie a cache line further apart. These are only rows of temporaries that no
// function of the library and no repetition touches, because both expect no gaps. `steps` are by statement.
void pad_conflicting_rows(Schedule&, const std::vector<ContractionStep>& steps, const Target&, const Tuning&);

}  // namespace cppgen::schedule
