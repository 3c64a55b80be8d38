#pragma once
#include <string>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/import/summary.h"

namespace cppgen {

// The model of a request, which is a file or bytes in memory.

// UserError if it is a file that cannot be read.
void require_readable_model(const CompileRequest&);

// SHA-256 of its bytes. UserError as above.
std::string model_sha256(const CompileRequest&);

// The folder of its external data, "." for that of the process. Bytes without a folder have none.
std::string model_folder(const CompileRequest&);

// An absolute path, or the name of a model in memory.
std::string model_place(const CompileRequest&);

// UserError naming the model if it cannot be read or is not an ONNX model.
ModelSummary summary_of(const CompileRequest&);

}  // namespace cppgen
