#pragma once
#include <string>

#include "cppgen/graph/graph.h"

namespace cppgen {

// A tensor of ONNX's test data: files test_data_set_*/input_I.pb and output_I.pb, each one serialised TensorProto.
struct TestTensor {
  std::string name;  // as the file says; often empty
  Tensor tensor;
};

// UserError naming the file if it cannot be read, is malformed, or holds what has no plain tensor: a sequence, an
// optional, strings, complex or sub-byte elements. External data is read from the folder of the file.
//
// The published data store bfloat16 as uint16, with the bits of the values: that is returned as it stands.
TestTensor read_test_tensor(const std::string& path);

}  // namespace cppgen
