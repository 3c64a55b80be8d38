#include "bench/models/onnx_file.h"

#include <fstream>

#include "runtime/base/errors.h"

namespace cppgen::bench {

onnx::ModelProto read_onnx(const std::string& path) {
  onnx::ModelProto model;
  std::ifstream file(path, std::ios::binary);
  if (!model.ParseFromIstream(&file)) user_error("{}: no ONNX model", path);
  return model;
}

void write_onnx(const onnx::ModelProto& model, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!model.SerializeToOstream(&file) || !file.flush()) user_error("{}: cannot be written", path);
}

}  // namespace cppgen::bench
