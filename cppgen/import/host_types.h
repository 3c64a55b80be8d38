#pragma once
#include <optional>
#include <string>

#include "cppgen/graph/graph.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// The type of a value that is not a numeric tensor; nullopt for a numeric tensor or a value without a type. UserError,
// without a name, for maps, sparse tensors and unsupported element types.
std::optional<HostType> host_type_of(const onnx::TypeProto&);

// The strings of a tensor and its dimensions; nullopt for numeric tensors. UserError if their numbers do not match.
struct Strings {
  std::vector<int64_t> dims;
  std::vector<std::string> elements;
};
std::optional<Strings> strings_of(const onnx::TensorProto&);

}  // namespace cppgen::import
