#pragma once
#include <cstdint>

namespace cppgen {

// HostType::dims are dimensions, or a list that starts with a marker that is not a valid dimension.
inline constexpr int64_t kOneOfRanks = -2;  // followed by the possible numbers of dimensions, ascending
inline constexpr int64_t kNothing = -3;  // no run produces such a tensor, or the sequence is empty: any type covers it

}  // namespace cppgen
