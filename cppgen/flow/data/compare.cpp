#include "cppgen/flow/data/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cppgen/flow/data/tensor_values.h"
#include "runtime/base/elements.h"

namespace cppgen {
namespace {

double rtol_of(DType type, const ElementTolerance& tolerance) {
  return tolerance.rtol.value_or(type == DType::bf16 ? 0x1p-7 : 1e-3);
}

std::string mismatch(const rt::ExpectedOutput& expected, const rt::Tensor& actual) {
  if (actual.type() != expected.values.type())
    return fmt::format("has type {}, expected {}", name_of(actual.type()), name_of(expected.values.type()));
  if (actual.dims() != expected.dims)
    return fmt::format("has shape {}, expected {}", rt::shape_text(actual.dims()), rt::shape_text(expected.dims));
  return "";
}

class Comparison {
 public:
  Comparison(const rt::ExpectedOutput& expected, const rt::Tensor& actual, const ElementTolerance& tolerance)
      : expected_(expected.values), actual_(actual), rtol_(rtol_of(actual.type(), tolerance)), atol_(tolerance.atol) {
    report_.name = expected.name;
    report_.compared = actual.elements();
  }

  rt::OutputReport run() {
    const bool floats = is_float(actual_.type());
    for (int64_t i = 0; i < report_.compared; i++) {
      const double e = number_element(expected_.type(), expected_.data(), i),
                   a = number_element(actual_.type(), actual_.data(), i);
      if (std::isfinite(e)) report_.max_expected = std::max(report_.max_expected, std::abs(e));
      floats ? compare_floats(i, e, a) : compare_integers(i, e, a);
    }
    report_.ok = report_.wrong == 0;
    if (!report_.ok)
      report_.reason = fmt::format(
          "{} of {} elements differ; the worst, at flat index {}, is {} instead of {}, where the tolerance is {:.4g}",
          report_.wrong, report_.compared, report_.worst, text(actual_), text(expected_), report_.limit);
    return report_;
  }

 private:
  void compare_floats(int64_t i, double e, double a) {
    if (!std::isfinite(e) || !std::isfinite(a)) {
      if (!(std::isnan(e) && std::isnan(a)) && e != a) note(i, HUGE_VAL, 0);
      return;
    }
    const double difference = std::abs(a - e), limit = atol_ + rtol_ * std::abs(e);
    report_.max_difference = std::max(report_.max_difference, difference);
    note(i, difference, limit);
  }

  // Compares bytes, because numbers beyond 2^53 are rounded in a double.
  void compare_integers(int64_t i, double e, double a) {
    const size_t size = size_of(actual_.type());
    const bool equal =
        std::memcmp(actual_.as<char>() + size_t(i) * size, expected_.as<char>() + size_t(i) * size, size) == 0;
    report_.max_difference = std::max(report_.max_difference, std::abs(a - e));
    note(i, equal ? 0 : std::max(1.0, std::abs(a - e)), 0);
  }

  // Keeps the element that exceeds its tolerance most.
  void note(int64_t i, double difference, double limit) {
    report_.wrong += difference > limit;
    const double excess = difference - limit;
    if (report_.worst >= 0 && excess <= worst_excess_) return;
    worst_excess_ = excess;
    report_.worst = i;
    report_.limit = limit;
  }

  std::string text(const rt::Tensor& tensor) const { return element_text(tensor.type(), tensor.data(), report_.worst); }

  const rt::Tensor &expected_, &actual_;
  double rtol_, atol_;
  double worst_excess_ = 0;
  rt::OutputReport report_;
};

}  // namespace

rt::VerifyReport compare_elements(std::span<const rt::ExpectedOutput> expected, std::span<const rt::Tensor> actual,
                                  const ElementTolerance& tolerance) {
  rt::VerifyReport report;
  if (expected.size() != actual.size())
    report.reason = fmt::format("the model has {} outputs, expected {}", actual.size(), expected.size());
  for (size_t i = 0; i < std::min(expected.size(), actual.size()); i++) {
    rt::OutputReport output;
    output.name = expected[i].name;
    output.reason = mismatch(expected[i], actual[i]);
    report.outputs.push_back(output.reason.empty() ? Comparison(expected[i], actual[i], tolerance).run() : output);
  }
  return report;
}

namespace {

void compare_value(const std::string& name, const rt::Value& expected, const rt::Value& actual,
                   const ElementTolerance& tolerance, rt::VerifyReport& report) {
  rt::OutputReport output;
  output.name = name;
  if (expected.tensor() && actual.tensor()) {
    const rt::ExpectedOutput wanted{name, rt::copy_of(expected.tensor()->view()), expected.tensor()->dims(), 1};
    output.reason = mismatch(wanted, *actual.tensor());
    if (output.reason.empty()) output = Comparison(wanted, *actual.tensor(), tolerance).run();
  } else if (expected.sequence() && actual.sequence() && expected.sequence()->size() == actual.sequence()->size()) {
    for (size_t i = 0; i < expected.sequence()->size(); i++)
      compare_value(fmt::format("{}[{}]", name, i), (*expected.sequence())[i], (*actual.sequence())[i], tolerance,
                    report);
    output.ok = true;
  } else if (expected.strings() && actual.strings() && expected.strings()->dims == actual.strings()->dims) {
    output.compared = int64_t(expected.strings()->elements.size());
    for (int64_t i = 0; i < output.compared; i++) {
      const std::string &e = expected.strings()->elements[size_t(i)], &a = actual.strings()->elements[size_t(i)];
      if (e == a || output.wrong++ > 0) continue;
      output.worst = i;
      output.reason = fmt::format("element {} is '{}', expected '{}'", i, a, e);
    }
    output.ok = output.wrong == 0;
  } else {
    output.ok = expected.is_empty() && actual.is_empty();
    if (!output.ok) output.reason = fmt::format("is {}, expected {}", actual.description(), expected.description());
  }
  report.outputs.push_back(std::move(output));
}

}  // namespace

rt::VerifyReport compare_values(std::span<const std::string> names, std::span<const rt::Value> expected,
                                std::span<const rt::Value> actual, const ElementTolerance& tolerance) {
  rt::VerifyReport report;
  if (expected.size() != actual.size())
    report.reason = fmt::format("the model has {} outputs, expected {}", actual.size(), expected.size());
  for (size_t i = 0; i < std::min(expected.size(), actual.size()); i++)
    compare_value(names[i], expected[i], actual[i], tolerance, report);
  return report;
}

}  // namespace cppgen
