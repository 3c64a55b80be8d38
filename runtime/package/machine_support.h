#pragma once
#include <span>
#include <string>

#include "runtime/abi/abi.h"

namespace cppgen {
struct CpuFeatures;
}

namespace cppgen::rt {

// The features of this CPU that kernels may use: those of AMX only if its operating system and a self-check permit
// them.
CpuFeatures usable_cpu_features();

// The last row of isas.def among these names that a CPU with these features runs; empty if there is none.
std::string best_isa_of(std::span<const std::string> isas, CpuFeatures cpu);

// UserError naming the package, unless this CPU and its operating system run code of the instruction set.
void require_isa(const std::string& isa, const std::string& package);

// The functions that kernels of this instruction set may call. UserError for an unknown name.
const cppgen_runtime* runtime_services(const std::string& isa);

}  // namespace cppgen::rt
