#pragma once
#include <string>

#include "cppgen/codegen/code.h"
#include "cppgen/ir/program/program.h"

namespace cppgen::codegen {

// The C++ of one reduction: the type and the start value of its accumulator.
Code accumulator_type(const ir::Reduction&);
Code accumulator_start(const ir::Reduction&);
// A step of the reduction: a = a op value. `position` is a V<i64> (argmin, argmax). `lanes` is the number of lanes if
// they are points of the reduction, and empty if each lane is a reduction of its own.
Code accumulate_text(const ir::Reduction&, const Code& a, const Code& value, const Code& position, const Code& lanes);
// The combination of two partial accumulators (not for argmin and argmax).
Code combine_text(const ir::Reduction&, const Code& a, const Code& b);
// The result over all lanes, in each lane.
Code over_lanes_text(const ir::Reduction&, const Code& a);
// The result of each lane.
Code per_lane_text(const ir::Reduction&, const Code& a);

bool is_arg(const ir::Reduction&);  // argmin or argmax

}  // namespace cppgen::codegen
