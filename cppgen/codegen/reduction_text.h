#pragma once
#include <string>

#include "cppgen/codegen/code.h"
#include "cppgen/ir/program.h"

namespace cppgen::codegen {

// Emitted C++ for one reduction: its accumulator type, start value, step and final combination over lanes.
Code accumulator_type(const ir::Reduction&);
Code accumulator_start(const ir::Reduction&);
// a (op)= value; `position` is a V<i64> (argmin, argmax), `lanes` the count when lanes are points of the reduction, ""
// when each lane reduces for itself.
Code accumulate_text(const ir::Reduction&, const Code& a, const Code& value, const Code& position, const Code& lanes);
// The combination of two partial accumulators (not for argmin and argmax).
Code combine_text(const ir::Reduction&, const Code& a, const Code& b);
// The result in every lane, over all lanes.
Code over_lanes_text(const ir::Reduction&, const Code& a);
// The result lane by lane.
Code per_lane_text(const ir::Reduction&, const Code& a);

bool is_arg(const ir::Reduction&);  // argmin or argmax

}  // namespace cppgen::codegen
