#pragma once
#include <string>

#include "cppgen/ir/program.h"

namespace cppgen::codegen {

// Emitted C++ for one reduction: its accumulator type, start value, step and final combination over lanes.
std::string accumulator_type(const ir::Reduction&);
std::string accumulator_start(const ir::Reduction&);
// a (op)= value; `position` is a V<i64> (argmin, argmax), `lanes` the count when lanes are points of the reduction, ""
// when each lane reduces for itself.
std::string accumulate_text(const ir::Reduction&, const std::string& a, const std::string& value,
                            const std::string& position, const std::string& lanes);
// The combination of two partial accumulators (not for argmin and argmax).
std::string combine_text(const ir::Reduction&, const std::string& a, const std::string& b);
// The result in every lane, over all lanes.
std::string over_lanes_text(const ir::Reduction&, const std::string& a);
// The result lane by lane.
std::string per_lane_text(const ir::Reduction&, const std::string& a);

bool is_arg(const ir::Reduction&);  // argmin or argmax

}  // namespace cppgen::codegen
