#include "tests/differential/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace cppgen::differential {
namespace {

const std::vector<double> kSpecialFloats = {
    NAN,     INFINITY, -INFINITY, 0.0,      -0.0,    1.0,     -1.0,       0.5,        1.5,   2.5,
    -2.5,    1e-40,    -1e-40,    0x1p-126, 0x1p-24, 0x1p-14, 65504,      -65504,     65520, 3.4028234e38,
    -3.4e38, 0x1p31,   -0x1p31,   0x1p63,   127.5,   255.5,   16777217.0, -8388609.0, 88.7,  -103.9};

std::vector<double> special_factors() {
  constexpr double kMost = 0x1p32;  // sums of 2^63 products of such numbers are floats
  std::vector<double> factors = kSpecialFloats;
  std::erase_if(factors, [](double v) { return std::isfinite(v) && std::abs(v) > kMost; });
  return factors;
}

int64_t special_integer(DType t, std::mt19937_64& random) {
  const int bits = 8 * int(size_of(t));
  const int64_t top = int64_t(1) << (bits - 1 < 63 ? bits - 1 : 62);
  const int64_t list[] = {
      0, 1, -1, 2, top - 1, -top, top, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  return list[random() % std::size(list)];
}

double ordinary_float(std::mt19937_64& random, const std::optional<Range>& range) {
  const Range r = range.value_or(Range{-8, 8});
  return std::uniform_real_distribution<double>(r.lo, r.hi)(random);
}

int64_t ordinary_integer(DType t, std::mt19937_64& random, const std::optional<Range>& range) {
  const bool is_signed = is_signed_int(t);
  if (range) {
    const auto lo = int64_t(is_signed ? range->lo : std::max(range->lo, 0.0)), hi = int64_t(range->hi);
    return std::uniform_int_distribution<int64_t>(lo, std::max(lo, hi))(random);
  }
  return t == DType::boolean ? int64_t(random() & 1) : int64_t(random() % 41) - 20;
}

// Fewer than eight bits wrap by themselves: a byte holds no others.
int64_t stored(DType t, int64_t n) {
  if (!is_small_int(t)) return n;
  const auto [least, greatest] = range_of(t);
  return ((n - least) & (greatest - least)) + least;
}

}  // namespace

Tensor tensor_of_values(DType t, const std::vector<int64_t>& dims, const std::vector<double>& values) {
  if (is_float(t)) return make_floats(t, dims, values);
  std::vector<std::byte> bytes;
  for (double v : values) {
    const int64_t n = stored(t, int64_t(v));
    const auto* raw = reinterpret_cast<const std::byte*>(&n);  // little-endian: the low bytes wrap
    bytes.insert(bytes.end(), raw, raw + size_of(t));
  }
  return make_tensor(t, dims, std::move(bytes));
}

Tensor make_numbers(DType t, const std::vector<int64_t>& dims, std::optional<Range> range, Numbers numbers,
                    uint64_t seed) {
  std::mt19937_64 random(seed);
  const bool special = numbers != Numbers::ordinary && !range && t != DType::boolean;
  const std::vector<double> special_floats = numbers == Numbers::special ? kSpecialFloats : special_factors();
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<double> floats;
  std::vector<std::byte> bytes;
  for (int64_t i = 0; i < count; i++) {
    const bool odd = special && random() % 3 == 0;
    if (is_float(t)) {
      const double ordinary = ordinary_float(random, range);
      floats.push_back(odd ? special_floats[random() % special_floats.size()] : ordinary);
    } else {
      const int64_t n = stored(t, odd ? special_integer(t, random) : ordinary_integer(t, random, range));
      const auto* raw = reinterpret_cast<const std::byte*>(&n);
      bytes.insert(bytes.end(), raw, raw + size_of(t));
    }
  }
  return is_float(t) ? make_floats(t, dims, floats) : make_tensor(t, dims, std::move(bytes));
}

}  // namespace cppgen::differential
