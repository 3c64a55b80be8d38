#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cppgen/import/protos.h"

namespace cppgen::import {

// Returns what a model says about itself, as keys and values in the order of the file: "producer_name", "opset:DOMAIN",
// "metadata:KEY" (see runtime/session/cppgen.h). Empty fields are left out; texts are as they are in the file, which
// may be no UTF-8.
std::vector<std::pair<std::string, std::string>> metadata_of(const onnx::ModelProto&);

}  // namespace cppgen::import
