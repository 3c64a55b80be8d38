#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "runtime/plan/module.h"

namespace cppgen {

struct ModelPart;

// ENABLE_STANDALONE: what makes a package run where cppgen is not installed (runtime/package/standalone.h).
struct StandaloneProgram {
  std::string path;  // of cppgen-run
  // Path of each library that it loads, except for those of glibc, which must be those of the machine that runs it.
  std::vector<std::string> libraries;
};

// The functions that a model calls by name.
std::set<std::string> called_functions(const std::vector<ModelPart>&, const std::optional<rt::Module>&);

// cppgen-run next to this process's program, with the plugins that these functions need. UserError if it is not there,
// or if a library is missing.
StandaloneProgram find_standalone_program(const std::set<std::string>& functions);

// Copies the program and its libraries into a package, before its manifest is written. UserError if that fails.
void add_standalone_program(const StandaloneProgram&, const std::string& package);

// Runs a complete package on random inputs, and stores these and the outputs in it. Dimensions that the model leaves
// open have the first size of a list for which it runs. Without such a size, or on another CPU than the package is for,
// a warning says why there is no sample.
void add_standalone_sample(const std::string& package, const CompileRequest&);

}  // namespace cppgen
