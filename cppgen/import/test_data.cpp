#include "cppgen/import/test_data.h"

#include <filesystem>

#include "cppgen/import/external_data.h"
#include "cppgen/import/protos.h"
#include "cppgen/import/tensors.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

TestTensor read_tensor(const std::string& bytes, const std::string& path) {
  onnx::TensorProto proto;
  if (!proto.ParseFromString(bytes) || !proto.has_data_type())
    user_error("is no serialised TensorProto: the protobuf data is malformed or truncated");
  import::ExternalData files(std::filesystem::path(path).parent_path().string());
  const std::string name = proto.name();
  return {name, import::import_tensor(proto, files)};
}

// Nothing in the bytes names their type. SequenceProto and OptionalProto begin with a name (field 1, wire type 2),
// where a TensorProto has its dimensions, which ONNX does not write packed.
bool looks_like_sequence(const std::string& bytes) { return !bytes.empty() && bytes[0] == 0x0A; }

}  // namespace

TestTensor read_test_tensor(const std::string& path) {
  try {
    const std::string bytes = import::read_model_file(path);
    try {
      return read_tensor(bytes, path);
    } catch (const UserError&) {
      if (looks_like_sequence(bytes)) user_error("holds a sequence or an optional; only tensors are supported");
      throw;
    }
  } catch (const UserError& error) {
    user_error("'{}': {}", path, error.what());
  }
}

}  // namespace cppgen
