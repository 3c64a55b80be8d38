#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/compile/kernel_builder.h"

namespace cppgen {

// The instructions of one kernel's assembly, by kind.
struct InstructionCounts {
  std::string kernel;
  int64_t instructions = 0;
  int64_t vector = 0;       // instructions on several lanes: of registers wider than 128 bits, or packed ones
  int64_t spills = 0;       // stores of registers to the stack
  int64_t loop_spills = 0;  // those of vector registers in innermost loops
};

// Counts for these functions, in x86-64 assembly as g++ and clang write it; zeros for a function that is not there.
std::vector<InstructionCounts> count_instructions(std::string_view assembly, const std::vector<std::string>& functions);

// ENABLE_ASM_INFO: replaces the folder `dir` by one with what the builder's compiler makes of the units: NAME.s,
// NAME.vectors.txt (its report on vectorisation) and kernels.txt (a table of the counts of all kernels). The compiler
// runs once more for this, also for units from the cache. UserError if a file cannot be written; a unit that does not
// compile causes a warning.
void write_asm_info(const std::vector<CompileJob>&, const CompileOptions&, KernelBuilder&, const std::string& dir);

}  // namespace cppgen
