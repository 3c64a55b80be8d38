#pragma once
#include <string>

#include "cppgen/onnxruntime/ort_call.h"
#include "cppgen/onnxruntime/protobuf.h"

// Tensors of ONNX Runtime as TensorProto.
namespace cppgen::ep {

// The message refers to the memory of the tensor.
Message tensor_message(const ort::Api& api, const std::string& name, const ort::Value* tensor);

struct TensorWriter {
  const ort::Api& api;
  std::string folder;  // of the model that ONNX Runtime loaded; "" if it is not known

  // A constant. Data in a file in the folder stay there, and the message says where.
  Message message(const std::string& name, const ort::ValueInfo* constant) const;
};

}  // namespace cppgen::ep
