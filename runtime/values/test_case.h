#pragma once
#include <span>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/values/compare.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

struct TestCase {
  std::vector<Tensor> inputs;  // in the order of the model
  std::vector<ExpectedOutput> outputs;
};

// A directory with io.json, which lists "inputs" and "outputs" with "name" and "file" (.npy); outputs may have
// "flat_step" and then have "shape". Entries are matched to the tensors of the model by name if it has all these names,
// else by position. Types are taken from the plan. UserError naming the file if something is missing or malformed;
// files must be in the directory itself.
TestCase read_test_case(const std::string& directory, const Plan& plan);

// Writes such a directory: in_I.npy, out_I.npy and io.json. Names of the model never become paths. UserError naming the
// file that cannot be written.
void write_test_case(const std::string& directory, const Plan& plan, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs);
std::string output_file_stem(size_t output);  // "out_0"

// Does the same for values of any kind. Strings are also .npy files (npy_strings.h), with "kind": "strings" in
// io.json; a sequence has "kind": "sequence" and "elements", each with a file out_I_K.npy of its own; an empty
// optional has "kind": "empty" and no file.
struct ValueCase {
  std::vector<Value> inputs, outputs;  // in the order of the model
};
ValueCase read_value_case(const std::string& directory, const Plan& plan);
void write_value_case(const std::string& directory, const Plan& plan, std::span<const Value> inputs,
                      std::span<const Value> outputs);

}  // namespace cppgen::rt
