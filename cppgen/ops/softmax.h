#pragma once
#include "cppgen/ops/axis_split.h"

namespace cppgen::ops {

// softmax(x) over the reduced dimensions: nests for the maximum, the powers, their sum, the result.
void emit_softmax(LowerContext&, const AxisSplit&, ir::BufferId x, ir::BufferId out, DType type);

// log(softmax(x)) over the reduced dimensions: nests for the maximum, the sum of exponentials, the result.
void emit_log_softmax(LowerContext&, const AxisSplit&, ir::BufferId x, ir::BufferId out);

}  // namespace cppgen::ops
