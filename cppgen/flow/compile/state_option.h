#pragma once
#include <cstdint>
#include <string>

namespace cppgen {

// --state: the output `present` is the input `past` with more positions, and both are one tensor that callers keep.
struct StateOption {
  std::string present, past;
  int64_t capacity = 2048;  // positions
  bool operator==(const StateOption&) const = default;
};

// Reads "PRESENT=PAST" or "PRESENT=PAST:CAPACITY"; what follows the last colon is a capacity if it is a positive
// integer. UserError for other texts.
StateOption parse_state_option(const std::string&);
std::string to_string(const StateOption&);

}  // namespace cppgen
