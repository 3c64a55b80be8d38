#include "tests/differential/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cppgen/graph/graph.h"
#include "tests/property/random_graph.h"

namespace cppgen::differential {
namespace {

// The distance of neighbours near the least normal number: that of subnormals.
double least_distance(DType t) {
  if (t == DType::f64) return 0x1p-1074;
  if (t == DType::f16) return 0x1p-24;
  return t == DType::bf16 ? 0x1p-133 : 0x1p-149;
}

// float16 and bfloat16 are computed in float32 and rounded once at the end: an error of the computation is at most one
// unit of the result, however many units of float32 it is.
double allowed(const Agreement& a, DType t, double expected, double largest) {
  const double unit = property::unit_of(t), size = std::abs(expected);
  const bool narrow = size_of(t) == 2;
  if (a.kind == Agreement::ulps) return (narrow ? 1 : a.factor) * std::max(unit * size, least_distance(t));
  const double computed = a.factor * (narrow ? property::unit_of(DType::f32) : unit) * std::max(largest, 16.0);
  return computed + (narrow ? unit * std::max(size, 1e-3) : 0);
}

bool agree(const Agreement& a, DType t, double expected, double actual, double largest) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (expected == actual) return a.kind != Agreement::exact || std::signbit(expected) == std::signbit(actual);
  if (a.kind == Agreement::exact) return false;
  const double most = t == DType::f16 ? 65504 : t == DType::f64 ? 1.7e308 : 3.38e38;
  if (std::isinf(actual) && std::abs(expected) >= most * (1 - 8 * property::unit_of(t))) return expected * actual > 0;
  if (std::isinf(expected) && std::abs(actual) >= most * (1 - 8 * property::unit_of(t))) return expected * actual > 0;
  return std::isfinite(expected) && std::isfinite(actual) &&
         std::abs(expected - actual) <= allowed(a, t, expected, largest);
}

std::vector<double> numbers(DType t, const std::vector<int64_t>& dims, const void* data, size_t bytes) {
  std::vector<std::byte> copy(bytes);
  if (bytes) std::memcpy(copy.data(), data, bytes);
  const Tensor tensor = make_tensor(t, dims, std::move(copy));
  if (is_float(t)) return numbers_of(tensor);
  const std::vector<int64_t> integers = integers_of(tensor);
  return {integers.begin(), integers.end()};
}

std::string first_difference(const std::vector<double>& e, const std::vector<double>& a, auto&& same) {
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < e.size(); i++)
    if (!same(e[i], a[i]) && wrong++ == 0) first = i;
  if (wrong == 0) return "";
  return fmt::format("{} of {} elements differ, first [{}]: expected {:.9g}, got {:.9g}", wrong, e.size(), first,
                     e[first], a[first]);
}

}  // namespace

std::string disagreement(const Agreement& a, const ir::HostTensor& expected, const rt::Tensor& actual) {
  if (actual.type() != expected.type || actual.dims() != expected.dims)
    return fmt::format("shape [{}] instead of [{}]", fmt::join(actual.dims(), ","), fmt::join(expected.dims, ","));
  const size_t bytes = expected.bytes.size();
  if (bytes == 0 || std::memcmp(expected.bytes.data(), actual.data(), bytes) == 0) return "";
  const auto e = numbers(expected.type, expected.dims, expected.bytes.data(), bytes);
  const auto g = numbers(expected.type, expected.dims, actual.data(), bytes);
  if (!is_float(expected.type)) {
    const auto near = [&](double x, double y) { return std::abs(x - y) <= double(a.quanta); };
    const std::string text = first_difference(e, g, near);
    return text.empty() && a.quanta == 0 ? "integers beyond 2^53 differ" : text;
  }
  double largest = 0;
  for (double v : e)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  return first_difference(e, g, [&](double x, double y) { return agree(a, expected.type, x, y, largest); });
}

}  // namespace cppgen::differential
