#pragma once
#include <string>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/values/test_case.h"

namespace cppgen {

// Inputs and expected outputs on disk.
struct DataSet {
  std::string path;       // directory
  bool protobuf = false;  // input_I.pb and output_I.pb as in ONNX's test data; otherwise io.json and .npy files
};

// The data sets of a directory: its folders test_data_set_*, in the order of their numbers, or the directory itself if
// it contains .pb files or io.json. UserError if there are none.
std::vector<DataSet> find_data_sets(const std::string& directory);

// UserError naming the file if it is missing or malformed, is not a tensor, or the number of inputs differs from the
// model's.
rt::TestCase read_data_set(const DataSet&, const rt::Plan& plan);

// Does the same for values of any kind.
struct ValueSet {
  std::vector<rt::Value> inputs, outputs;
};
bool has_tensors_only(const rt::Plan&);
ValueSet read_value_set(const DataSet&, const rt::Plan& plan);

}  // namespace cppgen
