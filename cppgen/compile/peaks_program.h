#pragma once

namespace cppgen {

// A C++ program, behind the includes of the headers of kernels, that measures peaks.
// Arguments: the number of threads, then the bytes that each thread accesses, for each level. Prints the GFLOP/s, then
// the GB/s for each level. Each number is the best of several rounds, in which all threads start together.
extern const char* const kPeaksProgram;

}  // namespace cppgen
