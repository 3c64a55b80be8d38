#pragma once
#include <string>

#include "runtime/base/errors.h"

namespace cppgen {

// The way in which building a translation unit failed.
enum class CompileFailure {
  failed,             // the compiler rejected the source or a flag
  crashed,            // it was killed by a signal of its own, such as SIGSEGV
  interrupted,        // it was killed from outside, or memory or disk space ran out: another attempt may succeed
  timed_out,          // COMPILE_TIMEOUT_SECONDS
  bad_output,         // it reported success but did not write a shared object with the expected symbols
  undefined_symbols,  // the object requires symbols that kernels must not require
};

// A translation unit could not be built. what() contains the reason, the command line, the path of the kept source and
// the first lines of the compiler's output; `source_path` is empty when the source could not be kept.

// The compiler, its options or the machine are at fault.
struct CompileError : UserError {
  CompileError(CompileFailure kind, std::string source_path, const std::string& message)
      : UserError(message), kind(kind), source_path(std::move(source_path)) {}
  CompileFailure kind;
  std::string source_path;
};

// The source is at fault: a bug in cppgen (blame.h).
struct RefusedSource : InternalError {
  RefusedSource(CompileFailure kind, std::string source_path, const std::string& message)
      : InternalError(message), kind(kind), source_path(std::move(source_path)) {}
  CompileFailure kind;
  std::string source_path;
};

}  // namespace cppgen
