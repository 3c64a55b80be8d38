#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/flow/compile/compiler.h"

namespace cppgen::emit {

// Models as code that programs contain, in place of packages that a runtime loads.
enum class EmitKind {
  static_library,  // a folder with libNAME.a and NAME.h
  executable,      // a program, which reads and writes .npy files
  cmake,           // a folder with the sources of both
};
inline constexpr std::string_view kEmitKinds[] = {"static", "executable", "cmake"};
std::optional<EmitKind> emit_kind(std::string_view text);

struct EmitRequest {
  CompileRequest compile;  // without an output
  EmitKind kind = EmitKind::static_library;
  std::string name;    // an identifier: of the library, and what its names begin with
  std::string output;  // a folder, or the file of a program; replaced if it is one of this kind
};

struct Emitted {
  CompileReport report;
  std::vector<std::string> sources;  // files that it was made from
  int64_t bytes = 0;
};

// UserError before anything is compiled if the output cannot be written, or if there is something else.
void check_emit_output(const EmitRequest&);

// Compiles the model and writes the output. UserError if ar or objcopy is missing, or naming the node if the model is
// not one plan of kernels and functions of runtime/library: parts of it run on the host. Otherwise as compile_model.
Emitted emit_model(const EmitRequest&);

}  // namespace cppgen::emit
