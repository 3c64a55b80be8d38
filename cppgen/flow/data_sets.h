#pragma once
#include <string>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/values/test_case.h"

namespace cppgen {

// Inputs and expected outputs on disk.
struct DataSet {
  std::string path;       // directory
  bool protobuf = false;  // input_I.pb and output_I.pb as in ONNX's test data; else io.json and .npy files
};

// The data sets of a directory: its folders test_data_set_*, in the order of their numbers; or itself, if it holds .pb
// files or io.json. UserError if there is nothing of these.
std::vector<DataSet> find_data_sets(const std::string& directory);

// UserError naming the file: missing or malformed, no tensor, not as many inputs as the model has.
rt::TestCase read_data_set(const DataSet&, const rt::Plan& plan);

// The same of values of any kind.
struct ValueSet {
  std::vector<rt::Value> inputs, outputs;
};
bool has_tensors_only(const rt::Plan&);
ValueSet read_value_set(const DataSet&, const rt::Plan& plan);

}  // namespace cppgen
