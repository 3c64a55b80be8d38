#include "runtime/values/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "runtime/base/elements.h"
#include "runtime/base/errors.h"
#include "runtime/base/float8.h"

namespace cppgen::rt {
namespace {

// Exact for every integer type; long double has 64 bits of precision.
long double exact_integer(DType type, const void* data, int64_t index) {
  const int64_t value = integer_element(type, data, index);
  return type == DType::u64 ? static_cast<long double>(static_cast<uint64_t>(value)) : value;
}

double default_rtol(DType type) {
  if (type == DType::f16) return 2.0 / 1024;
  if (type == DType::bf16) return 2.0 / 128;
  if (is_float8(type)) return std::ldexp(2.0, -float8_format(type).fraction_bits);
  return 1e-4;
}

// Reason why the tensors cannot be compared element by element; "" if they can.
std::string mismatch(const ExpectedOutput& expected, const TensorView& actual) {
  if (actual.type != expected.values.type())
    return fmt::format("has type {}, expected {}", name_of(actual.type), name_of(expected.values.type()));
  if (!std::equal(actual.dims.begin(), actual.dims.end(), expected.dims.begin(), expected.dims.end()))
    return fmt::format("has shape {}, expected {}", shape_text(actual.dims), shape_text(expected.dims));
  const int64_t step = expected.flat_step, count = element_count(actual.dims);
  if (step < 1 || expected.values.elements() != (count + step - 1) / step)
    return fmt::format("there are {} expected values for {} elements with a step of {}", expected.values.elements(),
                       count, step);
  return "";
}

void note_wrong(OutputReport& report, int64_t index) {
  if (report.wrong++ == 0) report.worst = index;
}

void compare_floats(const ExpectedOutput& expected, const TensorView& actual, OutputReport& report) {
  const DType type = actual.type;
  for (int64_t i = 0; i < report.compared; i++) {
    const double e = number_element(type, expected.values.data(), i);
    const double a = number_element(type, actual.data, i * expected.flat_step);
    if (!std::isfinite(e) || !std::isfinite(a)) {
      if (!(std::isnan(e) && std::isnan(a)) && e != a) note_wrong(report, i * expected.flat_step);
      continue;
    }
    const double difference = std::abs(a - e);
    if (difference > report.limit) note_wrong(report, i * expected.flat_step);
    if (difference > report.max_difference) {
      report.max_difference = difference;
      if (report.wrong == 0) report.worst = i * expected.flat_step;
    }
  }
}

void compare_integers(const ExpectedOutput& expected, const TensorView& actual, OutputReport& report) {
  for (int64_t i = 0; i < report.compared; i++) {
    const long double e = exact_integer(actual.type, expected.values.data(), i);
    const long double a = exact_integer(actual.type, actual.data, i * expected.flat_step);
    report.max_difference = std::max(report.max_difference, double(std::abs(a - e)));
    if (a != e) note_wrong(report, i * expected.flat_step);
  }
}

double greatest_magnitude(const ExpectedOutput& expected) {
  double greatest = 0;
  const DType type = expected.values.type();
  for (int64_t i = 0; i < expected.values.elements(); i++) {
    const double value = number_element(type, expected.values.data(), i);
    if (std::isfinite(value)) greatest = std::max(greatest, std::abs(value));
  }
  return greatest;
}

}  // namespace

OutputReport compare_output(const ExpectedOutput& expected, const TensorView& actual, const Tolerance& tolerance) {
  OutputReport report;
  report.name = expected.name;
  report.reason = mismatch(expected, actual);
  if (!report.reason.empty()) return report;
  report.compared = expected.values.elements();
  report.max_expected = greatest_magnitude(expected);
  if (is_float(actual.type)) {
    report.limit = tolerance.atol + tolerance.rtol.value_or(default_rtol(actual.type)) * report.max_expected;
    compare_floats(expected, actual, report);
  } else {
    compare_integers(expected, actual, report);
  }
  report.ok = report.wrong == 0;
  if (!report.ok)
    report.reason =
        fmt::format("{} of {} elements differ, the first at flat index {}; max difference {:.4g}, tolerance {:.4g}",
                    report.wrong, report.compared, report.worst, report.max_difference, report.limit);
  return report;
}

VerifyReport compare_outputs(std::span<const ExpectedOutput> expected, std::span<const Tensor> actual,
                             const Tolerance& tolerance) {
  VerifyReport report;
  if (expected.size() != actual.size())
    report.reason = fmt::format("the model has {} outputs, expected {}", actual.size(), expected.size());
  for (size_t i = 0; i < std::min(expected.size(), actual.size()); i++)
    report.outputs.push_back(compare_output(expected[i], actual[i].view(), tolerance));
  return report;
}

bool VerifyReport::ok() const {
  return reason.empty() && std::all_of(outputs.begin(), outputs.end(), [](const OutputReport& it) { return it.ok; });
}

std::string VerifyReport::text() const {
  std::string text;
  for (const OutputReport& it : outputs)
    text += it.ok ? fmt::format("ok   {}: max difference {:.4g} of {:.4g} allowed, max|expected| {:.4g}, {} elements\n",
                                it.name, it.max_difference, it.limit, it.max_expected, it.compared)
                  : fmt::format("FAIL {}: {}\n", it.name, it.reason);
  if (!reason.empty()) text += "FAIL " + reason + "\n";
  return text;
}

}  // namespace cppgen::rt
