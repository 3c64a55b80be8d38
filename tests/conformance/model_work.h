#pragma once
#include <string>

#include "cppgen/flow/compile/compiler.h"
#include "isa/vec_isa.h"
#include "runtime/base/machine.h"
#include "tests/conformance/cases.h"

namespace cppgen::conformance {

// The settings with which every model is compiled.
struct Setup {
  Settings settings;
  const VecISA* isa = nullptr;
  MachineDescription machine;
};

// Names of files that prepare() leaves in the model's package directory besides plan and weights.
inline constexpr const char* kSourceFile = "kernels.txt";    // C++ functions of all kernels
inline constexpr const char* kSymbolsFile = "symbols.txt";   // their names, one a line
inline constexpr const char* kLibraryFile = "kernels_0.so";  // what the plan expects, if there are kernels

// Compiles the model to a plan, weights and the text of its kernels, whose names start with `prefix`.
Outcome prepare(const Case&, const Setup&, const std::string& package, const std::string& prefix);

// Completes the package, loads it and compares its results with every data set.
Outcome check_compiled(const Case&, const std::string& package, const std::string& isa);

// Runs the model on the reference interpreter.
Outcome check_interpreted(const Case&, const Setup&);

}  // namespace cppgen::conformance
