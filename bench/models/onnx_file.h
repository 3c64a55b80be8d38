#pragma once
#include <onnx/onnx_pb.h>

#include <string>

namespace cppgen::bench {

// The model without its external data. UserError if the file cannot be read or holds no model.
onnx::ModelProto read_onnx(const std::string& path);
// UserError if the file cannot be written.
void write_onnx(const onnx::ModelProto&, const std::string& path);

}  // namespace cppgen::bench
