#pragma once
#include "cppgen/ops/axis_split.h"

namespace cppgen::ops {

// softmax(x) over the reduced dimensions: nests for the maximum, the powers, their sum, the result. If all of x is
// -infinity, the result is NaN or, with `zeros`, 0.
void emit_softmax(LowerContext&, const AxisSplit&, ir::BufferId x, ir::BufferId out, DType type, bool zeros = false);

// log(softmax(x)) over the reduced dimensions: nests for the maximum, the sum of exponentials, the result.
void emit_log_softmax(LowerContext&, const AxisSplit&, ir::BufferId x, ir::BufferId out);

}  // namespace cppgen::ops
