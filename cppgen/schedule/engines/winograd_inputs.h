#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Returns whether a step of its own should transform the inputs of a convolution by Winograd's algorithm, so that its
// units share the results. Else each unit transforms the inputs of its patches. A block of patches reads all weights,
// so with weights beyond the second-level cache blocks should be large, which leaves few units of their own.
bool shares_inputs(const ContractionView&, rt::winograd::Form, const Target&);

// Adds this step, unless an earlier convolution reads the same transforms. Sets c.transformed and makes the prepared
// nest read it.
void transform_inputs(Program&, Layouts&, TileContraction& c, Prepared&);

}  // namespace cppgen::schedule
