#pragma once

#include "cppgen/codegen/code.h"

namespace cppgen::codegen {

// A block of a tensor whose lanes lie apart in memory, turned in scratch so that they lie side by side: element
// (step, lane) at scratch + step * side + lane. All members and arguments are C++ text.
struct TurnedBlock {
  Code scratch, side;

  // Fills it from `source`, where the lanes lie `apart` elements from each other and steps are neighbours.
  Code fill(const Code& source, const Code& apart, const Code& lanes, const Code& steps) const {
    return code("vec::transpose_tiles({}, {}, {}, {}, {}, {});", scratch, side, source, apart, lanes, steps);
  }
  // `n` lanes of a step.
  Code load(const Code& step, const Code& lane) const {
    return code("vec::ld({} + {} * {} + {}, n)", scratch, operand(step), side, operand(lane));
  }
};

}  // namespace cppgen::codegen
