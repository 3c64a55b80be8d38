// Compiles a graph for a made-up target and runs it, on this CPU or on emulated matrix tiles.
#pragma once
#include "cppgen/schedule/schedule.h"
#include "isa/vec_isa.h"
#include "runtime/abi/abi.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::engines {

// The target of contractions, and the program that runs them.
struct Machine {
  std::string name;
  const VecISA* isa = nullptr;  // of the kernels' text
  schedule::Target target;
  const cppgen_runtime* services = nullptr;  // null: those of the ISA
};

// The last row that this CPU runs, or the named one (nullopt if the CPU lacks it), where pairs of bfloat16 are
// fast.
Machine this_machine();
std::optional<Machine> machine(const std::string& isa);
// This machine with emulated matrix tiles, which take no time, where pairs of bfloat16 are slow.
Machine emulated_amx();
// This machine if its CPU has AVX512_BF16; else with emulated tiles of pairs of bfloat16.
Machine machine_with_bf16_pairs();

struct Result {
  std::vector<std::string> engines;  // of the contractions, in the order of the schedule's steps
  std::vector<ir::HostTensor> outputs;
};
Result run_on(const Machine&, Graph&, const schedule::Options&, const std::vector<ir::HostTensor>& inputs,
              int threads = 1);

}  // namespace cppgen::engines
