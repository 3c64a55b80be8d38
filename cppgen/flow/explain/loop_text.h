#pragma once
#include <string>

#include "cppgen/schedule/kernel.h"

namespace cppgen {

// The loops of a kernel in one readable line: "n < 3136, vector c < 64; reduce k < 9".
std::string loop_text(const schedule::FusedKernel&);

}  // namespace cppgen
