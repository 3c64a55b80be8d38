#pragma once
#include <string>

#include "runtime/base/errors.h"

namespace cppgen {

// How building a translation unit failed.
enum class CompileFailure {
  failed,             // the compiler refused the source or a flag
  crashed,            // it was ended by a signal
  timed_out,          // COMPILE_TIMEOUT_SECONDS
  bad_output,         // it reported success, but what it wrote is no shared object with the expected symbols
  undefined_symbols,  // the object needs symbols that no kernel may need
};

// A translation unit could not be built. what() holds the reason, the command line, the place of the kept source and
// the first lines of the compiler's output; `source_path` is empty when the source could not be kept.

// The compiler, its options or the machine are to blame.
struct CompileError : UserError {
  CompileError(CompileFailure kind, std::string source_path, const std::string& message)
      : UserError(message), kind(kind), source_path(std::move(source_path)) {}
  CompileFailure kind;
  std::string source_path;
};

// The source is to blame: a bug of ours (blame.h).
struct RefusedSource : InternalError {
  RefusedSource(CompileFailure kind, std::string source_path, const std::string& message)
      : InternalError(message), kind(kind), source_path(std::move(source_path)) {}
  CompileFailure kind;
  std::string source_path;
};

}  // namespace cppgen
