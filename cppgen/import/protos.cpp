#include "cppgen/import/protos.h"

#include <google/protobuf/io/coded_stream.h>

#include <climits>
#include <cstring>
#include <utility>

#include "cppgen/support/input_file.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

// The types of TensorProto.DataType that tensors of plans cannot have.
constexpr std::pair<int32_t, const char*> kOtherTypes[] = {
    {0, "undefined"}, {8, "string"}, {14, "complex64"}, {15, "complex128"}};

}  // namespace

std::string read_model_file(const std::string& path) {
  const InputFile file = InputFile::open(path);
  if (file.size() > INT_MAX)
    user_error(
        "{} bytes: a model file must be smaller than 2 GiB (protobuf's limit); keep its weights as external data",
        file.size());
  return file.read();
}

onnx::ModelProto parse_model(std::span<const std::byte> bytes) {
  if (bytes.empty()) user_error("the file is empty");
  if (bytes.size() > size_t(INT_MAX)) user_error("{} bytes: a model must be smaller than 2 GiB", bytes.size());
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()), int(bytes.size()));
  onnx::ModelProto model;
  // Protobuf bounds the nesting of messages itself (100 levels) and fails cleanly beyond it.
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    user_error("not an ONNX model: the protobuf data is malformed, truncated or nested too deeply");
  if (!model.has_graph()) user_error("not an ONNX model: it has no graph");
  return model;
}

std::optional<DType> dtype_of(int32_t elem_type) { return dtype_from_onnx(elem_type); }

std::string elem_type_name(int32_t elem_type) {
  if (const auto type = dtype_from_onnx(elem_type)) return std::string(name_of(*type));
  for (const auto& [number, name] : kOtherTypes)
    if (number == elem_type) return name;
  return fmt::format("type {}", elem_type);
}

std::string normal_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace cppgen::import
