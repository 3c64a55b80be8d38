#include "cppgen/flow/data/tensor_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/elements.h"

namespace cppgen {
namespace {

constexpr int64_t kShown = 8;  // elements

template <class T>
T at(const void* data, int64_t index) {
  return static_cast<const T*>(data)[index];
}

}  // namespace

std::string element_text(DType type, const void* data, int64_t i) {
  if (type == DType::i64) return std::to_string(at<int64_t>(data, i));
  if (type == DType::u64) return std::to_string(at<uint64_t>(data, i));
  if (type == DType::boolean) return at<uint8_t>(data, i) ? "true" : "false";
  return fmt::format("{:.6g}", number_element(type, data, i));
}

ValueRange range_of(const rt::TensorView& tensor) {
  ValueRange range{HUGE_VAL, 0, -HUGE_VAL, 0, 0};
  double sum = 0;
  for (int64_t i = 0, n = rt::element_count(tensor.dims); i < n; i++) {
    const double value = number_element(tensor.type, tensor.data, i);
    if (std::isnan(value)) {
      range.nans++;
      continue;
    }
    range.min = std::min(range.min, value), range.max = std::max(range.max, value);
    sum += value;
    range.counted++;
  }
  if (range.counted == 0) return {0, 0, 0, 0, range.nans};
  range.mean = sum / double(range.counted);
  return range;
}

std::string summary_text(const rt::TensorView& tensor) {
  const int64_t count = rt::element_count(tensor.dims);
  if (count <= kShown || !is_float(tensor.type)) {
    std::string text;
    for (int64_t i = 0; i < std::min(count, kShown); i++)
      text += (i ? " " : "") + element_text(tensor.type, tensor.data, i);
    return count > kShown ? text + " ..." : text;
  }
  const ValueRange range = range_of(tensor);
  std::string text = fmt::format("min {:.6g}, mean {:.6g}, max {:.6g}", range.min, range.mean, range.max);
  if (range.nans) text += fmt::format(", {} NaN", range.nans);
  return text;
}

}  // namespace cppgen
