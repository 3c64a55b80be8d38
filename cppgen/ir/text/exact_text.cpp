#include "cppgen/ir/text/exact_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cppgen/ir/text/print_expr.h"
#include "runtime/base/coded_floats.h"
#include "runtime/base/elements.h"
#include "runtime/base/narrow_floats.h"

namespace cppgen::ir {

namespace {

constexpr int64_t kMostListed = 64;

uint64_t bits_at(DType type, const void* data, int64_t index) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(data) + size_t(index) * size_of(type), size_of(type));
  return bits;
}

template <class T>
std::string float_text(T value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".enif") == text.npos ? text + ".0" : text;
}

template <class T>
std::string with_payload(T value, DType type, uint64_t bits) {
  const bool usual = !std::isnan(value) || bits == float_bits(type, std::numeric_limits<double>::quiet_NaN());
  return usual ? float_text(value) : fmt::format("bits({:#x})", bits);
}

std::string float_element(DType type, const void* data, int64_t index) {
  const uint64_t bits = bits_at(type, data, index);
  const double value = number_element(type, data, index);
  const uint64_t rounded = float_bits(type, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  if (rounded != bits) return fmt::format("bits({:#x})", bits);
  return type == DType::f64 ? float_text(value) : float_text(static_cast<float>(value));
}

bool all_same(const ConstantData& data, size_t width) {
  const auto* bytes = static_cast<const char*>(data.bytes);
  return std::memcmp(bytes, bytes + width, data.size - width) == 0;
}

std::string hexadecimal(const ConstantData& data) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * data.size);
  for (size_t i = 0; i < data.size; i++) {
    const auto byte = static_cast<const unsigned char*>(data.bytes)[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

bool is_plain_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string exact_name(std::string_view name) {
  return is_plain_name(name) ? std::string(name) : quoted(std::string(name));
}

std::string exact_number(float value) { return with_payload(value, DType::f32, bits_at(DType::f32, &value, 0)); }
std::string exact_number(double value) { return with_payload(value, DType::f64, bits_at(DType::f64, &value, 0)); }

uint64_t float_bits(DType type, double value) {
  const auto narrowed = static_cast<float>(value);
  if (type == DType::f64) return bits_at(type, &value, 0);
  if (type == DType::f32) return bits_at(type, &narrowed, 0);
  if (is_coded_float(type)) return encoded(type, narrowed);
  return with_narrow_float(type, [&](auto narrow) -> uint64_t { return narrow.narrowed(narrowed); });
}

std::string element_text(DType type, const void* data, int64_t index) {
  if (is_float(type)) return float_element(type, data, index);
  const uint64_t bits = bits_at(type, data, index);
  if (type == DType::boolean && bits < 2) return bits ? "true" : "false";
  if (type == DType::boolean) return fmt::format("bits({:#x})", bits);
  const int64_t value = integer_element(type, data, index);
  return is_unsigned_int(type) ? fmt::format("{}", static_cast<uint64_t>(value)) : fmt::format("{}", value);
}

std::string data_text(DType type, const ConstantData& data, int64_t elements, size_t most_bytes) {
  if (elements > kMostListed && data.size > most_bytes) return "elided";
  if (elements > kMostListed && all_same(data, size_of(type))) return "splat " + element_text(type, data.bytes, 0);
  if (elements > kMostListed) return fmt::format("dense \"{}\"", hexadecimal(data));
  std::string text;
  for (int64_t i = 0; i < elements; i++) text += (i ? ", " : "") + element_text(type, data.bytes, i);
  return "[" + text + "]";
}

}  // namespace cppgen::ir
