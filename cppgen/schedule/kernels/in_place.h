#pragma once
#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Outputs of kernels that may lie in the memory of an input that dies there: every element of the input is read only
// at the point that stores the same offset of the output.
void find_in_place(Schedule&);

}  // namespace cppgen::schedule
