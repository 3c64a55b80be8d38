#pragma once
#include <fmt/format.h>

#include <string>

namespace cppgen::codegen {

// A block of a tensor whose lanes lie apart in memory, turned in scratch so that they lie side by side: element
// (step, lane) at scratch + step * side + lane. All members and arguments are C++ text.
struct TurnedBlock {
  std::string scratch, side;

  // Fills it from `source`, where the lanes lie `apart` elements from each other and steps are neighbours.
  std::string fill(const std::string& source, const std::string& apart, const std::string& lanes,
                   const std::string& steps) const {
    return fmt::format("vec::transpose_tiles({}, {}, {}, {}, {}, {});", scratch, side, source, apart, lanes, steps);
  }
  // `n` lanes of a step.
  std::string load(const std::string& step, const std::string& lane) const {
    return fmt::format("vec::ld({} + ({}) * {} + ({}), n)", scratch, step, side, lane);
  }
};

}  // namespace cppgen::codegen
