#include "cppgen/onnxruntime/tensor_writer.h"

#include <filesystem>
#include <memory>

#include "cppgen/onnxruntime/graph_reader.h"

namespace cppgen::ep {
namespace {

namespace tensor_field {
constexpr int kDims = 1, kDataType = 2, kStringData = 6, kName = 8, kRawData = 9, kExternalData = 13, kLocation = 14;
constexpr int kKey = 1, kValue = 2;
constexpr int kExternal = 1;  // a location
}  // namespace tensor_field

constexpr ort::ElementType kStringElements = 8;

Message head_message(const std::string& name, ort::ElementType element, const std::vector<int64_t>& dims) {
  Message message;
  for (const int64_t dim : dims) message.integer(tensor_field::kDims, dim);
  return message.integer(tensor_field::kDataType, element).text(tensor_field::kName, name);
}

void add_strings(const ort::Api& api, const ort::Value* tensor, size_t count, Message& message) {
  size_t length = 0;
  require(api, api.GetStringTensorDataLength(tensor, &length));
  std::string text(length, '\0');
  std::vector<size_t> begins(count + 1, length);
  if (count > 0) require(api, api.GetStringTensorContent(tensor, text.data(), length, begins.data(), count));
  for (size_t i = 0; i < count; i++)
    message.text(tensor_field::kStringData, std::string_view(text).substr(begins[i], begins[i + 1] - begins[i]));
}

// A path that leads out of the folder is none that cppgen would follow.
bool lies_within(const std::filesystem::path& path) {
  if (path.empty() || path.is_absolute()) return false;
  for (const auto& part : path)
    if (part == "..") return false;
  return true;
}

Message entry(const char* key, const std::string& value) {
  return Message().text(tensor_field::kKey, key).text(tensor_field::kValue, value);
}

}  // namespace

Message tensor_message(const ort::Api& api, const std::string& name, const ort::Value* tensor) {
  ort::TensorInfo* owned = nullptr;
  require(api, api.GetTensorTypeAndShape(tensor, &owned));
  const std::unique_ptr<ort::TensorInfo, void (*)(ort::TensorInfo*)> info(owned, api.ReleaseTensorTypeAndShapeInfo);
  const ort::ElementType element = member<ort::ElementType, ort::TensorInfo>(api, api.GetTensorElementType, owned);
  std::vector<int64_t> dims(member<size_t, ort::TensorInfo>(api, api.GetDimensionsCount, owned));
  if (!dims.empty()) require(api, api.GetDimensions(owned, dims.data(), dims.size()));
  Message message = head_message(name, element, dims);
  if (element == kStringElements) {
    size_t count = 1;
    for (const int64_t dim : dims) count *= size_t(dim);
    add_strings(api, tensor, count, message);
    return message;
  }
  const void* data = member(api, api.GetTensorData, tensor);
  message.reference(tensor_field::kRawData,
                    {static_cast<const char*>(data), member(api, api.GetTensorSizeInBytes, tensor)});
  return message;
}

Message TensorWriter::message(const std::string& name, const ort::ValueInfo* constant) const {
  ort::ExternalInfo* owned = nullptr;
  require(api, api.ValueInfo_GetExternalInitializerInfo(constant, &owned));
  const std::unique_ptr<ort::ExternalInfo, void (*)(ort::ExternalInfo*)> file(owned,
                                                                              api.ReleaseExternalInitializerInfo);
  if (!file || folder.empty() || !lies_within(api.ExternalInitializerInfo_GetFilePath(owned)))
    return tensor_message(api, name, member(api, api.ValueInfo_GetInitializerValue, constant));
  const TensorType type = tensor_type(api, true, constant);
  return head_message(name, type.element, type.dims)
      .message(tensor_field::kExternalData, entry("location", api.ExternalInitializerInfo_GetFilePath(owned)))
      .message(tensor_field::kExternalData,
               entry("offset", std::to_string(api.ExternalInitializerInfo_GetFileOffset(owned))))
      .message(tensor_field::kExternalData,
               entry("length", std::to_string(api.ExternalInitializerInfo_GetByteSize(owned))))
      .integer(tensor_field::kLocation, tensor_field::kExternal);
}

}  // namespace cppgen::ep
