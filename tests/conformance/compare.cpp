#include "tests/conformance/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "cppgen/flow/data/tensor_values.h"
#include "runtime/base/elements.h"

namespace cppgen::conformance {
namespace {

constexpr double kRelative = 1e-3, kAbsolute = 1e-7;
constexpr double kBfloat16Unit = 1.0 / 128;

bool agree(double expected, double actual, double relative) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual)) return expected == actual;
  return std::fabs(actual - expected) <= kAbsolute + relative * std::fabs(expected);
}

bool agree_at(const rt::TensorView& expected, const rt::TensorView& actual, int64_t i) {
  if (!is_float(expected.type)) {
    const size_t size = size_of(expected.type), at = size * size_t(i);
    return !std::memcmp(static_cast<const char*>(expected.data) + at, static_cast<const char*>(actual.data) + at, size);
  }
  return agree(number_element(expected.type, expected.data, i), number_element(actual.type, actual.data, i),
               expected.type == DType::bf16 ? kBfloat16Unit : kRelative);
}

}  // namespace

std::string difference(const rt::TensorView& expected, const rt::TensorView& actual) {
  if (expected.type != actual.type)
    return fmt::format("type is {}, expected {}", name_of(actual.type), name_of(expected.type));
  if (!std::equal(expected.dims.begin(), expected.dims.end(), actual.dims.begin(), actual.dims.end()))
    return fmt::format("shape is {}, expected {}", rt::shape_text(actual.dims), rt::shape_text(expected.dims));
  const int64_t count = rt::element_count(expected.dims);
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < count; i++)
    if (!agree_at(expected, actual, i) && wrong++ == 0) first = i;
  if (wrong == 0) return "";
  return fmt::format("{} of {} elements differ: [{}] is {}, expected {}", wrong, count, first,
                     element_text(actual.type, actual.data, first), element_text(expected.type, expected.data, first));
}

}  // namespace cppgen::conformance
