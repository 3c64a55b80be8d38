#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/values/tensor.h"

namespace cppgen::rt {

// The expected value of an output.
struct ExpectedOutput {
  std::string name;
  Tensor values;              // every flat_step-th element of the flattened output, from 0
  std::vector<int64_t> dims;  // of the whole output; equal to values' own for flat_step 1
  int64_t flat_step = 1;
};

struct Tolerance {
  // Floats agree if |difference| <= atol + rtol * max|expected| over the output (finite values). Without a value, rtol
  // is 1e-4, or two units in the last place of 1 for the 16-bit types. NaN agrees with NaN, and an infinity with
  // itself. Integers and bools agree if they are equal.
  std::optional<double> rtol;
  double atol = 0;
};

struct OutputReport {
  std::string name;
  bool ok = false;
  std::string reason;         // the reason if not ok, else empty
  double max_difference = 0;  // of finite floats and of integers
  double max_expected = 0;    // greatest finite magnitude
  double limit = 0;           // allowed difference
  int64_t compared = 0, wrong = 0;
  int64_t worst = -1;  // flat index in the output of the first wrong or most different element
};

struct VerifyReport {
  std::vector<OutputReport> outputs;
  std::string reason;  // an error that does not belong to a single output

  bool ok() const;
  std::string text() const;  // one line per output
};

OutputReport compare_output(const ExpectedOutput& expected, const TensorView& actual, const Tolerance& = {});

// Compares all outputs, and checks their number.
VerifyReport compare_outputs(std::span<const ExpectedOutput> expected, std::span<const Tensor> actual,
                             const Tolerance& = {});

}  // namespace cppgen::rt
