#include "cppgen/import/test_data.h"

#include <onnx/onnx-data_pb.h>

#include <filesystem>

#include "cppgen/import/external_data.h"
#include "cppgen/import/host_types.h"
#include "cppgen/import/protos.h"
#include "cppgen/import/tensors.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

template <class Proto>
Proto parsed(const std::string& bytes, const char* name) {
  Proto proto;
  if (!proto.ParseFromString(bytes))
    user_error("is no serialised {}: the protobuf data is malformed or truncated", name);
  return proto;
}

TestValue value_of(onnx::TensorProto& proto, import::ExternalData& files) {
  TestValue value;
  if (auto strings = import::strings_of(proto)) {
    value.strings = {std::move(strings->dims), std::move(strings->elements)};
  } else {
    value.tensor = import::import_tensor(proto, files);
  }
  return value;
}

TestValue value_of(onnx::SequenceProto& proto, import::ExternalData& files) {
  if (proto.sparse_tensor_values_size() || proto.sequence_values_size() || proto.map_values_size())
    user_error("holds a sequence of what are no tensors, which is not supported");
  TestValue value;
  value.sequence.emplace();
  for (onnx::TensorProto& element : *proto.mutable_tensor_values()) value.sequence->push_back(value_of(element, files));
  return value;
}

TestValue value_of(onnx::OptionalProto& proto, import::ExternalData& files) {
  if (proto.has_tensor_value()) return value_of(*proto.mutable_tensor_value(), files);
  if (proto.has_sequence_value()) return value_of(*proto.mutable_sequence_value(), files);
  if (proto.elem_type() > onnx::OptionalProto::SEQUENCE) user_error("holds an optional that is not supported");
  return {};
}

TestValue read_value(const std::string& bytes, ValueKind kind, import::ExternalData& files) {
  if (kind == ValueKind::sequence) {
    auto proto = parsed<onnx::SequenceProto>(bytes, "SequenceProto");
    return value_of(proto, files);
  }
  if (kind == ValueKind::optional || kind == ValueKind::optional_sequence) {
    auto proto = parsed<onnx::OptionalProto>(bytes, "OptionalProto");
    return value_of(proto, files);
  }
  try {
    auto proto = parsed<onnx::TensorProto>(bytes, "TensorProto");
    if (!proto.has_data_type()) user_error("is no serialised TensorProto: the protobuf data is malformed or truncated");
    return value_of(proto, files);
  } catch (const UserError&) {
    // The other messages begin with a name (field 1, wire type 2), where a TensorProto has its dimensions, unpacked.
    if (bytes[0] == 0x0A) user_error("holds a sequence or an optional; the model has a tensor here");
    throw;
  }
}

}  // namespace

TestValue read_test_value(const std::string& path, ValueKind kind) {
  try {
    import::ExternalData files(std::filesystem::path(path).parent_path().string());
    return read_value(import::read_model_file(path), kind, files);
  } catch (const UserError& error) {
    user_error("'{}': {}", path, error.what());
  }
}

}  // namespace cppgen
