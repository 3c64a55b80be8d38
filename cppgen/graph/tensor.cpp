#include <cmath>
#include <cstring>

#include "cppgen/graph/graph.h"
#include "runtime/base/checked.h"
#include "runtime/base/coded_floats.h"
#include "runtime/base/elements.h"
#include "runtime/base/float8.h"

namespace cppgen {
namespace {

// Rounds to nearest even into a format of `fraction_bits` and exponents from `min_exponent` (of the least normal) to
// `max_exponent`; the result is sign, exponent and fraction in 16 bits.
uint16_t narrow(double x, int fraction_bits, int min_exponent, int max_exponent) {
  uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  uint16_t infinity = uint16_t((max_exponent - min_exponent + 2) << fraction_bits);
  if (std::isnan(x)) return uint16_t(sign | infinity | (1 << (fraction_bits - 1)));
  x = std::fabs(x);
  if (std::isinf(x)) return uint16_t(sign | infinity);
  if (x == 0) return sign;
  int exponent = std::max(std::ilogb(x), min_exponent);
  auto scaled = int64_t(std::nearbyint(std::ldexp(x, fraction_bits - exponent)));  // fraction with its leading 1
  if (exponent > max_exponent) return uint16_t(sign | infinity);
  // A subnormal has scaled < 2^fraction_bits and exponent field 0; a carry moves into the exponent field by itself.
  int64_t bits = (int64_t(exponent - min_exponent) << fraction_bits) + scaled;
  return uint16_t(sign | std::min<int64_t>(bits, infinity));
}

template <class T>
std::vector<double> widen(const Tensor& t) {
  const T* p = t.as<T>();
  return std::vector<double>(p, p + t.elements());
}

template <class T, class Convert>
void write_as(std::vector<std::byte>& bytes, const std::vector<double>& values, Convert convert) {
  for (size_t i = 0; i < values.size(); i++) {
    T v = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &v, sizeof(T));
  }
}

}  // namespace

int64_t Tensor::elements() const {
  int64_t n = 1;
  for (int64_t d : dims) n = checked_mul(n, d, "elements of a tensor");
  return n;
}

Tensor make_tensor(DType dtype, std::vector<int64_t> dims, std::vector<std::byte> bytes) {
  auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  Tensor t{dtype, std::move(dims), {owner, owner->data(), owner->size()}};
  check(size_t(t.elements()) * size_of(dtype) == owner->size(),
        "make_tensor: the data's size does not match the dimensions");
  return t;
}

Tensor make_ints(const std::vector<int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(int64_t));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(DType::i64, {int64_t(values.size())}, std::move(bytes));
}

std::vector<int64_t> integers_of(const Tensor& t) {
  std::vector<int64_t> values(size_t(t.elements()));
  for (size_t i = 0; i < values.size(); i++) values[i] = integer_element(t.dtype, t.data.bytes, int64_t(i));
  return values;
}

std::vector<double> numbers_of(const Tensor& t) {
  if (t.dtype == DType::f32) return widen<float>(t);
  if (t.dtype == DType::f64) return widen<double>(t);
  if (!is_float(t.dtype)) internal_error("numbers_of: unsupported tensor of {}", name_of(t.dtype));
  std::vector<double> values(size_t(t.elements()));
  for (size_t i = 0; i < values.size(); i++) values[i] = number_element(t.dtype, t.data.bytes, int64_t(i));
  return values;
}

Tensor make_floats(DType type, std::vector<int64_t> dims, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * size_of(type));
  switch (type) {
    case DType::f32:
      write_as<float>(bytes, values, [](double x) { return float(x); });
      break;
    case DType::f64:
      write_as<double>(bytes, values, [](double x) { return x; });
      break;
    case DType::f16:
      write_as<uint16_t>(bytes, values, [](double x) { return narrow(x, 10, -14, 15); });
      break;
    case DType::bf16:
      write_as<uint16_t>(bytes, values, [](double x) { return narrow(x, 7, -126, 127); });
      break;
    default:
      if (is_float8(type))
        write_as<uint8_t>(bytes, values, [&](double x) { return f32_to_f8(type, float(x)); });
      else if (is_coded_float(type))
        write_as<uint8_t>(bytes, values, [&](double x) { return encoded(type, float(x)); });
      else
        internal_error("make_floats: unsupported type {}", name_of(type));
  }
  return make_tensor(type, std::move(dims), std::move(bytes));
}

}  // namespace cppgen
