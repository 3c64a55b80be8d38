#pragma once
#include <string>

#include "cppgen/flow/compile/compiler.h"
#include "runtime/custom/description.h"

namespace cppgen {

// Everything that determines the contents of a package except for external data. The .onnx file is identified by the
// hash of its bytes.
std::string model_key(const CompileRequest&, const std::vector<rt::CustomFile>&, const std::string& model_sha256);

}  // namespace cppgen
