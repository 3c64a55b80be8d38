#pragma once
#include <cstdint>

#include "cppgen/ir/program/program.h"

namespace cppgen::schedule {

// Merges copies into slices of one temporary, as the lowering of Concat emits them, into one nest that selects among
// masked loads of all inputs: an ordinary pointwise nest, which its readers can compute element by element. This is
// done only if there are at most `most_inputs` copies, and if all readers are pointwise nests. It runs before any
// fusion. (MAX_POINTWISE_CAT_INPUTS, FORCE_POINTWISE_CAT)
void merge_concats(ir::Program&, int64_t most_inputs);

}  // namespace cppgen::schedule
