#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen {

// A value of ONNX's test data: files test_data_set_*/input_I.pb and output_I.pb, each one serialised TensorProto,
// SequenceProto or OptionalProto: a tensor of numbers, one of strings, a sequence, or nothing. A sequence of maps is
// one of two: the keys, which all maps share, and a row of values for each map.
struct TestValue {
  std::optional<Tensor> tensor;
  std::optional<std::pair<std::vector<int64_t>, std::vector<std::string>>> strings;  // dimensions, elements
  std::optional<std::vector<TestValue>> sequence;
};

// A file does not record its type, so `kind` states it. UserError naming the file if it cannot be read, is malformed,
// or has unsupported contents: sparse tensors, complex elements. External data is read from the folder of the file.
//
// The published data store bfloat16 as uint16, with the bits of the values: they are returned unchanged.
TestValue read_test_value(const std::string& path, ValueKind kind);

// A file that holds a MapProto from strings or int64 to numbers or strings: the keys, and the values in their order,
// both with one dimension. Values of an empty map have the given type (nullopt: strings). UserError as above.
std::pair<TestValue, TestValue> read_test_map(const std::string& path, std::optional<DType> type);

}  // namespace cppgen
