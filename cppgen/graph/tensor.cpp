#include <bit>
#include <cmath>
#include <cstring>

#include "cppgen/graph/graph.h"
#include "runtime/base/checked.h"

namespace cppgen {
namespace {

// float16: sign 1, exponent 5 (bias 15), fraction 10.
double widen_f16(uint16_t h) {
  int exponent = (h >> 10) & 31, fraction = h & 1023;
  double magnitude = exponent == 31  ? (fraction ? std::nan("") : HUGE_VAL)
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(fraction + 1024, exponent - 25);
  return h & 0x8000 ? -magnitude : magnitude;
}

double widen_bf16(uint16_t b) { return std::bit_cast<float>(uint32_t(b) << 16); }

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

template <class T, class R>
std::vector<R> widen(const Tensor& t) {
  const T* p = t.as<T>();
  return std::vector<R>(p, p + t.elements());
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
  check(size_t(t.elements()) * size_of(dtype) == owner->size(), "make_tensor: size of data and dims differ");
  return t;
}

Tensor make_ints(const std::vector<int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(int64_t));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(DType::i64, {int64_t(values.size())}, std::move(bytes));
}

std::vector<int64_t> integers_of(const Tensor& t) {
  switch (t.dtype) {
    case DType::i8:
      return widen<int8_t, int64_t>(t);
    case DType::i16:
      return widen<int16_t, int64_t>(t);
    case DType::i32:
      return widen<int32_t, int64_t>(t);
    case DType::i64:
      return widen<int64_t, int64_t>(t);
    case DType::u8:
    case DType::boolean:
      return widen<uint8_t, int64_t>(t);
    case DType::u16:
      return widen<uint16_t, int64_t>(t);
    case DType::u32:
      return widen<uint32_t, int64_t>(t);
    case DType::u64:
      return widen<uint64_t, int64_t>(t);
    default:
      internal_error("integers_of: a tensor of {}", name_of(t.dtype));
  }
}

std::vector<double> numbers_of(const Tensor& t) {
  if (t.dtype == DType::f32) return widen<float, double>(t);
  if (t.dtype == DType::f64) return widen<double, double>(t);
  if (!is_float(t.dtype)) internal_error("numbers_of: a tensor of {}", name_of(t.dtype));
  std::vector<double> values(size_t(t.elements()));
  for (size_t i = 0; i < values.size(); i++)
    values[i] = t.dtype == DType::f16 ? widen_f16(t.as<uint16_t>()[i]) : widen_bf16(t.as<uint16_t>()[i]);
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
      internal_error("make_floats: type {}", name_of(type));
  }
  return make_tensor(type, std::move(dims), std::move(bytes));
}

}  // namespace cppgen
