#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/session/session.h"

namespace cppgen::rt {

// What a run is compared with.
struct ExpectedOutput {
  std::string name;
  Tensor values;              // every flat_step-th element of the flattened output, from 0
  std::vector<int64_t> dims;  // of the whole output; equal to values' own for flat_step 1
  int64_t flat_step = 1;
};

struct TestCase {
  std::vector<Tensor> inputs;  // in the order of the model
  std::vector<ExpectedOutput> outputs;
};

struct Tolerance {
  // Floats agree if |difference| <= atol + rtol * max|expected| over the output (finite values). Without a value, rtol
  // is 1e-4, or two units in the last place of 1 for the 16-bit types. NaN agrees with NaN, an infinity with itself.
  // Integers and bools agree if they are equal.
  std::optional<double> rtol;
  double atol = 0;
};

struct OutputReport {
  std::string name;
  bool ok = false;
  std::string reason;         // why not: empty if ok
  double max_difference = 0;  // of finite floats and of integers
  double max_expected = 0;    // greatest finite magnitude
  double limit = 0;           // allowed difference
  int64_t compared = 0, wrong = 0;
  int64_t worst = -1;  // flat index in the output of the first wrong or most different element
};

struct VerifyReport {
  std::vector<OutputReport> outputs;
  std::string reason;  // what is wrong beyond single outputs

  bool ok() const;
  std::string text() const;  // one line per output
  std::string json() const;
};

OutputReport compare_output(const ExpectedOutput& expected, const TensorView& actual, const Tolerance& = {});

// Also checks that there are as many outputs.
VerifyReport compare_outputs(std::span<const ExpectedOutput> expected, std::span<const Tensor> actual,
                             const Tolerance& = {});

// Runs the session once on the test case.
VerifyReport verify(Session&, const TestCase&, const Tolerance& = {});

// A directory with io.json, which lists "inputs" and "outputs" with "name" and "file" (.npy); outputs may have
// "flat_step" and then have "shape". Entries belong to the tensors of the model by name if it has all these names, else
// by position. Types are taken from the plan. UserError naming the file if something is missing or malformed; files are
// looked up in the directory itself only.
TestCase read_test_case(const std::string& directory, const Plan& plan);

// Writes such a directory, in_I.npy, out_I.npy and io.json: names of the model never become paths. UserError naming
// what cannot be written.
void write_test_case(const std::string& directory, const Plan& plan, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs);
std::string output_file_stem(size_t output);  // "out_0"

// The same of values of any kind. Strings are .npy files, too (npy_strings.h), with "kind": "strings" in io.json; a
// sequence has "kind": "sequence" and "elements", each with a file out_I_K.npy of its own; an empty optional has
// "kind": "empty" and no file.
struct ValueCase {
  std::vector<Value> inputs, outputs;  // in the order of the model
};
ValueCase read_value_case(const std::string& directory, const Plan& plan);
void write_value_case(const std::string& directory, const Plan& plan, std::span<const Value> inputs,
                      std::span<const Value> outputs);

}  // namespace cppgen::rt
