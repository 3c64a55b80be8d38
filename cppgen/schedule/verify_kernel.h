#pragma once
#include <string>

#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Says which rule a kernel breaks that concerns it alone; empty if it breaks none. Its arguments must be buffers of the
// program.
std::string fault_of(const Program&, const FusedKernel&);

}  // namespace cppgen::schedule
