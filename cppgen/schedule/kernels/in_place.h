#pragma once
#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Lets outputs of kernels lie in the memory of an input that dies there, if every element of the input is read only at
// the point that stores the element of the output at the same offset.
void find_in_place(Schedule&);

}  // namespace cppgen::schedule
