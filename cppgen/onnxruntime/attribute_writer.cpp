#include "cppgen/onnxruntime/attribute_writer.h"

#include <cstring>
#include <memory>

#include "cppgen/onnxruntime/graph_reader.h"
#include "cppgen/onnxruntime/tensor_writer.h"

namespace cppgen::ep {
namespace {

namespace attribute_field {
constexpr int kName = 1, kFloat = 2, kInt = 3, kString = 4, kTensor = 5, kGraph = 6;
constexpr int kFloats = 7, kInts = 8, kStrings = 9, kType = 20;
}  // namespace attribute_field

enum OnnxType : int {
  kOnnxFloat = 1,
  kOnnxInt = 2,
  kOnnxString = 3,
  kOnnxTensor = 4,
  kOnnxGraph = 5,
  kOnnxFloats = 6,
  kOnnxInts = 7,
  kOnnxStrings = 8
};

template <class Number>
std::vector<Number> numbers(const std::string& bytes) {
  std::vector<Number> values(bytes.size() / sizeof(Number));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Number));
  return values;
}

// A tensor of an attribute is a copy that is freed here, so its bytes are copied into the message.
Message tensor_attribute(const ort::Api& api, const ort::Attribute* attribute) {
  ort::Value* owned = nullptr;
  require(api, api.OpAttr_GetTensorAttributeAsOrtValue(attribute, &owned));
  const std::unique_ptr<ort::Value, void (*)(ort::Value*)> tensor(owned, api.ReleaseValue);
  return Message().text(attribute_field::kTensor, tensor_message(api, "", owned).serialized());
}

// The strings end with null characters.
void add_texts(std::string_view bytes, Message& message) {
  for (size_t end; (end = bytes.find('\0')) != bytes.npos; bytes.remove_prefix(end + 1))
    message.text(attribute_field::kStrings, bytes.substr(0, end));
}

// The value, without the name.
Message attribute_message(const ort::Api& api, const ort::Attribute* attribute, ort::AttributeType type,
                          const char* name) {
  if (type == ort::kTensorAttribute)
    return tensor_attribute(api, attribute).integer(attribute_field::kType, kOnnxTensor);
  const std::string bytes = attribute_bytes(api, attribute, type);
  Message message;
  switch (type) {
    case ort::kInt:
    case ort::kInts:
      for (const int64_t value : numbers<int64_t>(bytes))
        message.integer(type == ort::kInt ? attribute_field::kInt : attribute_field::kInts, value);
      return message.integer(attribute_field::kType, type == ort::kInt ? kOnnxInt : kOnnxInts);
    case ort::kFloat:
    case ort::kFloats:
      for (const float value : numbers<float>(bytes))
        message.real(type == ort::kFloat ? attribute_field::kFloat : attribute_field::kFloats, value);
      return message.integer(attribute_field::kType, type == ort::kFloat ? kOnnxFloat : kOnnxFloats);
    case ort::kString:
      return message.text(attribute_field::kString, bytes).integer(attribute_field::kType, kOnnxString);
    case ort::kStrings:
      add_texts(bytes, message);
      return message.integer(attribute_field::kType, kOnnxStrings);
    default:
      throw Failure(std::string("attribute ") + name + " has a type that ONNX Runtime does not pass on");
  }
}

}  // namespace

std::vector<Message> attribute_messages(const ort::Api& api, const ort::Node* node) {
  std::vector<Message> messages;
  for (const ort::Attribute* attribute : members(api, api.Node_GetNumAttributes, api.Node_GetAttributes, node)) {
    if (!attribute) continue;  // one that the node leaves out
    const ort::AttributeType type = member(api, api.OpAttr_GetType, attribute);
    if (type == ort::kGraph) continue;
    const char* name = member(api, api.OpAttr_GetName, attribute);
    messages.push_back(attribute_message(api, attribute, type, name).text(attribute_field::kName, name));
  }
  return messages;
}

Message graph_attribute(const char* name, Message body) {
  return Message()
      .text(attribute_field::kName, name)
      .message(attribute_field::kGraph, std::move(body))
      .integer(attribute_field::kType, kOnnxGraph);
}

}  // namespace cppgen::ep
