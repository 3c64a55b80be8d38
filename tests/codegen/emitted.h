#pragma once
#include <string>
#include <vector>

#include "cppgen/codegen/kernel_text.h"
#include "isa/vec_isa.h"
#include "runtime/base/machine.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::codegen {

// The kernels of a graph for an instruction set, scheduled and emitted with default settings.
std::vector<KernelText> emitted(GraphMaker&, const VecISA&, const Options& = {}, const MachineDescription& = {});

// The body of a kernel: the text between its braces.
std::string body_of(const KernelText&);

// Graphs with short kernels, by name: at least one for each form of kernels.
struct Sample {
  const char* name;
  GraphMaker (*make)();
};
const std::vector<Sample>& samples();

}  // namespace cppgen::codegen
