#pragma once
#include <optional>
#include <string>

#include "cppgen/graph/graph.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// The type of a value that is no tensor of numbers; nullopt of one that is, or that has no type. UserError, without a
// name, for maps, sparse tensors and element types that are not supported.
std::optional<HostType> host_type_of(const onnx::TypeProto&);

// Strings of a tensor and its dimensions; nullopt of tensors of numbers. UserError if they do not fit.
struct Strings {
  std::vector<int64_t> dims;
  std::vector<std::string> elements;
};
std::optional<Strings> strings_of(const onnx::TensorProto&);

}  // namespace cppgen::import
