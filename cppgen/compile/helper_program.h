#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/toolchain.h"
#include "cppgen/support/subprocess.h"

namespace cppgen {

// A small program that the compiler of kernels builds, and that runs once in a process of its own: whatever it does, an
// illegal instruction for example, happens there.
struct HelperProgram {
  std::string name;                    // of its files
  std::string source;                  // C++, which needs no library but C's
  std::vector<std::string> flags;      // of the compiler, besides files
  std::vector<std::string> arguments;  // of the program
  double compile_seconds = 60, run_seconds = 10;
  // Runs it by calling `once`, perhaps several times; empty: once.
  std::function<ProcessResult(const std::function<ProcessResult()>& once)> run = {};
};

struct HelperRun {
  ProcessResult compiled;
  std::optional<ProcessResult> ran;  // if it was compiled

  bool ok() const { return ran && ran->ok(); }
};

// Launchers are not used, because the answer is about this machine. The compiler must read `source`, and programs may
// be forbidden in the system's temporary directory (noexec), so the files are in a new directory in `parent`, which is
// removed. UserError if they cannot be written.
HelperRun build_and_run(const HelperProgram&, const Toolchain&, ProcessRunner&, const std::string& parent);

}  // namespace cppgen
