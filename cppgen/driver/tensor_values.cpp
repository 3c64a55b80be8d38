#include "cppgen/driver/tensor_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/base/errors.h"

namespace cppgen {
namespace {

constexpr int64_t kShown = 8;  // elements

template <class T>
T at(const void* data, int64_t index) {
  return static_cast<const T*>(data)[index];
}

double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  if (exponent == 31) magnitude = fraction ? std::nan("") : HUGE_VAL;
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

double number_at(DType type, const void* data, int64_t i) {
  switch (type) {
    case DType::f32:
      return at<float>(data, i);
    case DType::f64:
      return at<double>(data, i);
    case DType::f16:
      return half_value(at<uint16_t>(data, i));
    case DType::bf16:
      return std::bit_cast<float>(uint32_t(at<uint16_t>(data, i)) << 16);
    case DType::i8:
      return at<int8_t>(data, i);
    case DType::i16:
      return at<int16_t>(data, i);
    case DType::i32:
      return at<int32_t>(data, i);
    case DType::i64:
      return double(at<int64_t>(data, i));
    case DType::u8:
    case DType::boolean:
      return at<uint8_t>(data, i);
    case DType::u16:
      return at<uint16_t>(data, i);
    case DType::u32:
      return at<uint32_t>(data, i);
    case DType::u64:
      return double(at<uint64_t>(data, i));
  }
  internal_error("number_at: type {}", int(type));
}

std::string element_text(DType type, const void* data, int64_t i) {
  if (type == DType::i64) return std::to_string(at<int64_t>(data, i));
  if (type == DType::u64) return std::to_string(at<uint64_t>(data, i));
  if (type == DType::boolean) return at<uint8_t>(data, i) ? "true" : "false";
  return fmt::format("{:.6g}", number_at(type, data, i));
}

ValueRange range_of(const rt::TensorView& tensor) {
  ValueRange range{HUGE_VAL, 0, -HUGE_VAL, 0, 0};
  double sum = 0;
  for (int64_t i = 0, n = rt::element_count(tensor.dims); i < n; i++) {
    const double value = number_at(tensor.type, tensor.data, i);
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
