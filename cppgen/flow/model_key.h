#pragma once
#include <string>

#include "cppgen/flow/compiler.h"
#include "runtime/custom/description.h"

namespace cppgen {

// Everything but the external data that decides what is in a package. The .onnx file is told by the hash of its bytes.
std::string model_key(const CompileRequest&, const std::vector<rt::CustomFile>&, const std::string& model_sha256);

}  // namespace cppgen
