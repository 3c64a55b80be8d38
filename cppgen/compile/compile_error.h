#pragma once
#include <string>

#include "runtime/base/errors.h"

namespace cppgen {

// A translation unit could not be built. what() holds the reason, the command line, the place of the kept source and
// the first lines of the compiler's output.
struct CompileError : UserError {
  enum class Kind {
    failed,             // the compiler refused the source or a flag
    crashed,            // it was ended by a signal
    timed_out,          // COMPILE_TIMEOUT_SECONDS
    bad_output,         // it reported success, but what it wrote is no shared object with the expected symbols
    undefined_symbols,  // the object needs symbols that no kernel may need
  };
  CompileError(Kind kind, std::string source_path, const std::string& message)
      : UserError(message), kind(kind), source_path(std::move(source_path)) {}
  Kind kind;
  std::string source_path;  // where the source was kept; empty when it could not be
};

}  // namespace cppgen
