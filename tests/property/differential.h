#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cppgen/codegen/options.h"
#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"
#include "isa/vec_isa.h"
#include "runtime/values/tensor.h"
#include "tests/property/random_graph.h"

namespace cppgen::property {

// One graph and how it is compiled.
struct Case {
  uint64_t seed = 0;
  RandomGraph random;
  schedule::Options options;
  codegen::Options text;
  bool run_passes = true;
  uint64_t tuning_seed = 0;    // 0: the constants of the target
  bool tuning_of_bits = true;  // constants that change the last bits of results vary, too
};

// Settings and tuning of the schedule vary with the seed, too: half of the cases have the defaults of each.
Case make_case(uint64_t seed);
// The constants of a case on a target that has these by default.
schedule::Tuning tuning_of(const Case&, schedule::Tuning);
// Inputs of a case, the same for the same seed and names.
std::vector<ir::HostTensor> inputs_of(const Case&, int64_t symbol_value);

// Returns how a case is scheduled for an instruction set of this kind of machine, with small caches.
schedule::Schedule schedule_of(const Case&, const VecISA&);

struct Failure {
  size_t index = 0;  // of the case
  std::string isa, what;
};

struct DifferentialOptions {
  std::vector<const VecISA*> isas;
  std::string opt_level = "-O1";
  int compile_threads = 2;
  // Changes the emitted text before it is compiled: how tests plant bugs.
  std::function<void(std::string&)> corrupt{};
  size_t cases_per_unit = 8;  // translation unit
  // The inputs of a case and the comparison of its outputs ("" if it agrees), in place of inputs_of and of its facts.
  std::function<std::vector<ir::HostTensor>(const Case&, int64_t symbol_value)> inputs{};
  std::function<std::string(const Case&, const ir::HostTensor& expected, const rt::Tensor& actual)> compare{};
  // The numbers of a case's runs are then 0, 1 .. instead of values of the symbol; and what a run must give, in place
  // of the interpreter's results. A UserError: it must be refused.
  std::function<int64_t(const Case&)> runs{};
  std::function<std::vector<ir::HostTensor>(const Case&, int64_t run)> expected{};
  bool library = false;        // lowered with calls of the library
  bool refusals_fail = false;  // even if the compiled run refuses the same inputs
};

// Compiles the cases together, a few translation units per instruction set, runs them and compares with the
// interpreter. At most one failure per case and instruction set.
std::vector<Failure> check_cases(const std::vector<Case>&, const DifferentialOptions&);

// The smallest case found that still fails in this instruction set, by dropping outputs and nodes; at most `attempts`
// compilations.
Case minimise(Case, const VecISA&, DifferentialOptions, int attempts = 60);

// The graph, the options and how to run it again.
std::string describe(const Case&);

}  // namespace cppgen::property
