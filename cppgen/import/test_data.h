#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen {

// A value of ONNX's test data: files test_data_set_*/input_I.pb and output_I.pb, each one serialised TensorProto,
// SequenceProto or OptionalProto: a tensor of numbers, one of strings, a sequence, or nothing.
struct TestValue {
  std::optional<Tensor> tensor;
  std::optional<std::pair<std::vector<int64_t>, std::vector<std::string>>> strings;  // dimensions, elements
  std::optional<std::vector<TestValue>> sequence;
};

// Nothing in a file names its type: `kind` does. UserError naming the file if it cannot be read, is malformed, or holds
// what is not supported: maps, sparse tensors, complex elements. External data is read from the folder of the file.
//
// The published data store bfloat16 as uint16, with the bits of the values: that is returned as it stands.
TestValue read_test_value(const std::string& path, ValueKind kind);

}  // namespace cppgen
