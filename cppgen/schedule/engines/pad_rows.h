#pragma once
#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Tells whether rows of the left operand map to the same few sets of the first-level cache, where they evict each other
// although a line of each is needed again at every step of K, and cannot be padded, because they belong to a
// tensor of the model: then they are copied one tile at a time.
bool rows_need_copies(const Program&, Expr left, const std::vector<ir::Loop>& rows, const Layouts&, rt::TileShape,
                      const Target&);

}  // namespace cppgen::schedule
