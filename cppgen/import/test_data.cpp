#include "cppgen/import/test_data.h"

#include <onnx/onnx-data_pb.h>

#include <algorithm>
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
    user_error("is not a serialised {}: the protobuf data is malformed or truncated", name);
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

// Single numbers or strings, which have one type, side by side; if there are none they have type `otherwise`.
TestValue joined(std::vector<TestValue> elements, std::vector<int64_t> dims, std::optional<DType> otherwise) {
  TestValue all;
  if (elements.empty() ? !otherwise : elements[0].strings.has_value()) {
    all.strings.emplace(std::move(dims), std::vector<std::string>());
    for (TestValue& element : elements) {
      if (!element.strings || element.strings->second.size() != 1)
        user_error("holds a map whose values are not single strings");
      all.strings->second.push_back(std::move(element.strings->second[0]));
    }
    return all;
  }
  std::vector<std::byte> bytes;
  const DType dtype = elements.empty() ? *otherwise : elements[0].tensor->dtype;
  for (const TestValue& element : elements) {
    if (!element.tensor || element.tensor->dtype != dtype || element.tensor->elements() != 1)
      user_error("holds a map whose values are not single numbers of one type");
    const auto* data = static_cast<const std::byte*>(element.tensor->data.bytes);
    bytes.insert(bytes.end(), data, data + element.tensor->data.size);
  }
  all.tensor = make_tensor(dtype, std::move(dims), std::move(bytes));
  return all;
}

TestValue keys_of(const onnx::MapProto& proto) {
  TestValue keys;
  if (proto.key_type() == onnx::TensorProto::STRING) {
    keys.strings.emplace(std::vector<int64_t>{proto.string_keys_size()},
                         std::vector<std::string>(proto.string_keys().begin(), proto.string_keys().end()));
  } else if (proto.key_type() == onnx::TensorProto::INT64) {
    keys.tensor = make_ints({proto.keys().begin(), proto.keys().end()});
  } else {
    user_error("holds a map whose keys are {}; allowed are strings and int64",
               import::elem_type_name(proto.key_type()));
  }
  const int count = keys.strings ? proto.string_keys_size() : proto.keys_size();
  if (count != proto.values().tensor_values_size())
    user_error("holds a map of {} keys and {} values", count, proto.values().tensor_values_size());
  return keys;
}

std::vector<TestValue> values_of(onnx::MapProto& proto, import::ExternalData& files) {
  std::vector<TestValue> values;
  for (onnx::TensorProto& value : *proto.mutable_values()->mutable_tensor_values())
    values.push_back(value_of(value, files));
  return values;
}

bool same_keys(const onnx::MapProto& a, const onnx::MapProto& b) {
  return a.key_type() == b.key_type() &&
         std::equal(a.keys().begin(), a.keys().end(), b.keys().begin(), b.keys().end()) &&
         std::equal(a.string_keys().begin(), a.string_keys().end(), b.string_keys().begin(), b.string_keys().end());
}

TestValue value_of_maps(onnx::SequenceProto& proto, import::ExternalData& files) {
  TestValue value;
  value.sequence.emplace();
  std::vector<TestValue> rows;
  for (onnx::MapProto& map : *proto.mutable_map_values()) {
    if (!same_keys(map, proto.map_values(0))) user_error("holds maps of different keys, which is not supported");
    if (value.sequence->empty()) value.sequence->push_back(keys_of(map));
    for (TestValue& row : values_of(map, files)) rows.push_back(std::move(row));
  }
  const int64_t maps = proto.map_values_size();
  const auto elements = int64_t(rows.size());
  value.sequence->push_back(joined(std::move(rows), {maps, elements / maps}, DType::f32));
  return value;
}

TestValue value_of(onnx::SequenceProto& proto, import::ExternalData& files) {
  if (proto.map_values_size()) return value_of_maps(proto, files);
  if (proto.sparse_tensor_values_size() || proto.sequence_values_size())
    user_error("holds a sequence whose elements are not tensors, which is not supported");
  TestValue value;
  value.sequence.emplace();
  for (onnx::TensorProto& element : *proto.mutable_tensor_values()) value.sequence->push_back(value_of(element, files));
  return value;
}

TestValue value_of(onnx::OptionalProto& proto, import::ExternalData& files) {
  if (proto.has_tensor_value()) return value_of(*proto.mutable_tensor_value(), files);
  if (proto.has_sequence_value()) return value_of(*proto.mutable_sequence_value(), files);
  if (proto.elem_type() > onnx::OptionalProto::SEQUENCE) user_error("holds an optional of an unsupported type");
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
    if (!proto.has_data_type())
      user_error("is not a serialised TensorProto: the protobuf data is malformed or truncated");
    return value_of(proto, files);
  } catch (const UserError&) {
    // The other messages begin with a name (field 1, wire type 2), where a TensorProto has its dimensions, unpacked.
    if (bytes[0] == 0x0A) user_error("holds a sequence or an optional; the model has a tensor here");
    throw;
  }
}

}  // namespace

namespace {

// Reads a file; errors name it.
template <class Read>
auto read_file(const std::string& path, Read read) {
  try {
    import::ExternalData files(std::filesystem::path(path).parent_path().string());
    return read(import::read_model_file(path), files);
  } catch (const UserError& error) {
    user_error("'{}': {}", path, error.what());
  }
}

}  // namespace

TestValue read_test_value(const std::string& path, ValueKind kind) {
  return read_file(
      path, [&](const std::string& bytes, import::ExternalData& files) { return read_value(bytes, kind, files); });
}

std::pair<TestValue, TestValue> read_test_map(const std::string& path, std::optional<DType> type) {
  return read_file(path, [&](const std::string& bytes, import::ExternalData& files) {
    auto proto = parsed<onnx::MapProto>(bytes, "MapProto");
    TestValue keys = keys_of(proto);
    const int64_t count = proto.values().tensor_values_size();
    return std::pair(std::move(keys), joined(values_of(proto, files), {count}, type));
  });
}

}  // namespace cppgen
