#pragma once
#include <cstddef>
#include <cstdint>

namespace cppgen {

// Returns how many times as many random graphs there are: `--times N`, otherwise 1.
uint64_t times();
// Every so many of all samples are tested: one of seven, or all of them with --times.
size_t sample_step();

}  // namespace cppgen
