#pragma once
#include <string>

#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// What is wrong with a kernel by itself, its arguments being buffers of the program; empty: nothing.
std::string fault_of(const Program&, const FusedKernel&);

}  // namespace cppgen::schedule
