#pragma once
#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Tells whether rows of the left operand map to the same few sets of the first-level cache, where they evict each other
// although a line of each is needed again at every step of the depth.
bool rows_conflict(const Program&, const ContractionView&, const Layouts&, rt::TileShape, const Target&);

}  // namespace cppgen::schedule
