#pragma once

#include "cppgen/codegen/code.h"

namespace cppgen::codegen {

// A block of a tensor whose lanes are not contiguous, transposed in scratch memory so that they are: element (step,
// lane) is at scratch + step * side + lane. All members and arguments are C++ text.
struct TransposedBlock {
  Code scratch, side;

  // Fills it from `source`, in which lanes are `apart` elements from each other and steps are contiguous.
  Code fill(const Code& source, const Code& apart, const Code& lanes, const Code& steps) const {
    return code("vec::transpose_tiles({}, {}, {}, {}, {}, {});", scratch, side, source, apart, lanes, steps);
  }
  // Fills it where lanes are `steps` elements apart, a small constant.
  Code fill_few(const Code& source, const Code& lanes, int64_t steps) const {
    return code("vec::transpose_few_columns<{}>({}, {}, {}, {});", steps, scratch, side, source, lanes);
  }
  // The lanes of a step, of which there are `lanes`, as they are.
  Code move(const Code& to, const Code& step, const Code& lanes) const {
    return code("vec::move_row<{}>({}, {} + {} * {}, {});", side, to, scratch, operand(step), side, lanes);
  }
  // `n` lanes of a step.
  Code load(const Code& step, const Code& lane) const {
    return code("vec::ld({} + {} * {} + {}, n)", scratch, operand(step), side, operand(lane));
  }
};

}  // namespace cppgen::codegen
