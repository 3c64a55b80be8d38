#pragma once
#include <string>

#include "runtime/abi/abi.h"

namespace cppgen::rt {

// UserError naming the package, unless this CPU and its operating system run code of the instruction set.
void require_isa(const std::string& isa, const std::string& package);

// The functions that kernels of this instruction set may call. UserError for an unknown name.
const cppgen_runtime* runtime_services(const std::string& isa);

}  // namespace cppgen::rt
