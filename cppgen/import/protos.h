#pragma once
#include <onnx/onnx_pb.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "runtime/base/dtype.h"

namespace cppgen::import {

// The protobuf side of the importer; included only by a few source files.

// The file's content. UserError unless it is a regular file of less than 2 GiB, protobuf's limit.
std::string read_model_file(const std::string& path);

// UserError if the bytes are not an ONNX model: not protobuf, nested too deeply, or without a graph.
onnx::ModelProto parse_model(std::span<const std::byte> bytes);

// nullopt for types that are not a DType: strings and complex numbers.
std::optional<DType> dtype_of(int32_t elem_type);
// ONNX's name of an element type, "string", "float8e4m3fn"; "type 99" if unknown.
std::string elem_type_name(int32_t elem_type);

// "ai.onnx" is a second name of the default domain "".
std::string normal_domain(const std::string& domain);

}  // namespace cppgen::import
