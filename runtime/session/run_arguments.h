#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/values/compare.h"

namespace cppgen::rt {

// The command line of cppgen-run, of which only the syntax is checked.
struct RunArguments {
  std::string package, output, verify, threads;     // empty: not given
  std::vector<std::string> inputs, dims, settings;  // NAME=VALUE
  int64_t runs = 0;                                 // 0: not given
  uint64_t seed = 0;
  Tolerance tolerance;
  bool json = false, help = false, version = false;
};

// Reads the arguments after the program's name. `own_package` replaces a missing PACKAGE. UserError for unknown
// arguments; after --help or --version nothing else is checked.
RunArguments read_run_arguments(std::span<char* const> arguments, const std::string& own_package = "");

std::string run_help();

}  // namespace cppgen::rt
