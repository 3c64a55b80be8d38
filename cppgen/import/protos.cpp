#include "cppgen/import/protos.h"

#include <google/protobuf/io/coded_stream.h>

#include <array>
#include <climits>
#include <cstring>

#include "cppgen/support/input_file.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

struct ElemType {
  const char* name;
  std::optional<DType> dtype;
};

// TensorProto.DataType by number, those of later ONNX releases included.
const std::array<ElemType, 27> kElemTypes{{{"undefined", {}},
                                           {"float32", DType::f32},
                                           {"uint8", DType::u8},
                                           {"int8", DType::i8},
                                           {"uint16", DType::u16},
                                           {"int16", DType::i16},
                                           {"int32", DType::i32},
                                           {"int64", DType::i64},
                                           {"string", {}},
                                           {"bool", DType::boolean},
                                           {"float16", DType::f16},
                                           {"float64", DType::f64},
                                           {"uint32", DType::u32},
                                           {"uint64", DType::u64},
                                           {"complex64", {}},
                                           {"complex128", {}},
                                           {"bfloat16", DType::bf16},
                                           {"float8e4m3fn", DType::f8e4m3fn},
                                           {"float8e4m3fnuz", DType::f8e4m3fnuz},
                                           {"float8e5m2", DType::f8e5m2},
                                           {"float8e5m2fnuz", DType::f8e5m2fnuz},
                                           {"uint4", DType::u4},
                                           {"int4", DType::i4},
                                           {"float4e2m1", DType::f4e2m1},
                                           {"float8e8m0", DType::f8e8m0},
                                           {"uint2", DType::u2},
                                           {"int2", DType::i2}}};

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
    user_error("not an ONNX model: the protobuf data is malformed, truncated or nested too deep");
  if (!model.has_graph()) user_error("not an ONNX model: it has no graph");
  return model;
}

std::optional<DType> dtype_of(int32_t elem_type) {
  if (elem_type < 0 || size_t(elem_type) >= kElemTypes.size()) return std::nullopt;
  return kElemTypes[size_t(elem_type)].dtype;
}

std::string elem_type_name(int32_t elem_type) {
  if (elem_type < 0 || size_t(elem_type) >= kElemTypes.size()) return fmt::format("type {}", elem_type);
  return kElemTypes[size_t(elem_type)].name;
}

std::string normal_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace cppgen::import
