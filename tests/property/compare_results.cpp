#include "tests/property/compare_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "cppgen/graph/graph.h"

namespace cppgen::property {
namespace {

constexpr double kSafety = 4;  // facts are estimates

std::vector<double> floats(DType type, const std::vector<int64_t>& dims, const void* data, size_t bytes) {
  std::vector<std::byte> copy(bytes);
  if (bytes) std::memcpy(copy.data(), data, bytes);
  return numbers_of(make_tensor(type, dims, std::move(copy)));
}

bool agrees(double expected, double actual, double tolerance) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (expected == actual) return true;
  return std::isfinite(expected) && std::abs(expected - actual) <= tolerance;
}

std::string compare_floats(const ir::HostTensor& expected, const rt::Tensor& actual, const Fact& fact) {
  auto e = floats(expected.type, expected.dims, expected.bytes.data(), expected.bytes.size());
  double largest = 0;
  for (double v : e)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  // Facts of a value whose operands have become inputs (minimised graphs) speak of smaller operands.
  double tolerance = fact.error == 0 ? 0 : kSafety * std::max(fact.error, 64 * unit_of(expected.type) * largest);
  auto a = floats(expected.type, expected.dims, actual.data(), expected.bytes.size());
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < e.size(); i++)
    if (!agrees(e[i], a[i], tolerance) && wrong++ == 0) first = i;
  if (!wrong) return "";
  return fmt::format("{} of {} elements differ, first [{}]: expected {:.9g}, got {:.9g} (allowed {:.3g})", wrong,
                     e.size(), first, e[first], a[first], tolerance);
}

}  // namespace

std::string difference(const ir::HostTensor& expected, const rt::Tensor& actual, const Fact& fact) {
  if (actual.type() != expected.type || actual.dims() != expected.dims)
    return fmt::format("shape {} instead of {}", fmt::join(actual.dims(), "x"), fmt::join(expected.dims, "x"));
  if (is_float(expected.type)) return compare_floats(expected, actual, fact);
  size_t size = size_of(expected.type), n = expected.bytes.size() / size;
  for (size_t i = 0; i < n; i++)
    if (std::memcmp(expected.bytes.data() + i * size, static_cast<const std::byte*>(actual.data()) + i * size, size) !=
        0) {
      auto value = [&](const std::byte* p) {
        int64_t v = 0;
        std::memcpy(&v, p + i * size, size);
        return v;
      };
      return fmt::format("element {} of {} differs: expected {:#x}, got {:#x}", i, n, value(expected.bytes.data()),
                         value(static_cast<const std::byte*>(actual.data())));
    }
  return "";
}

}  // namespace cppgen::property
