#include "bench/models/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "runtime/base/elements.h"
#include "runtime/values/npy.h"

namespace cppgen::bench {
namespace {

constexpr Difference kIncomparable{INFINITY, INFINITY, INFINITY};

double value_at(const rt::Tensor& t, int64_t i) { return number_element(t.type(), t.data(), i); }

Difference difference(const rt::Tensor& got, const rt::Tensor& expected) {
  if (got.type() != expected.type() || got.dims() != expected.dims()) return kIncomparable;
  double worst = 0, size = std::numeric_limits<double>::min(), unequal = 0;
  const int64_t n = got.elements();
  for (int64_t i = 0; i < n; i++) {
    const double a = value_at(got, i), b = value_at(expected, i);
    if (std::isnan(a) != std::isnan(b)) return kIncomparable;
    if (std::isnan(a)) continue;
    worst = std::max(worst, std::abs(a - b)), size = std::max(size, std::abs(b)), unequal += a != b;
  }
  const bool bytes = got.type() == DType::u8 || got.type() == DType::i8;
  if (bytes) return {0, worst, unequal / double(std::max<int64_t>(n, 1))};
  return {worst / size, 0, 0};
}

}  // namespace

Difference difference_of_folders(const std::string& got, const std::string& expected) {
  Difference worst;
  for (int i = 0;; i++) {
    const std::string name = fmt::format("/{}.npy", i);
    const bool a = std::filesystem::exists(got + name), b = std::filesystem::exists(expected + name);
    if (a != b) return kIncomparable;
    if (!a) return worst;
    const Difference d = difference(rt::read_npy(got + name), rt::read_npy(expected + name));
    worst = {std::max(worst.relative, d.relative), std::max(worst.quanta, d.quanta), std::max(worst.share, d.share)};
  }
}

}  // namespace cppgen::bench
