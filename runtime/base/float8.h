#pragma once
#include <bit>
#include <cstdint>

#include "runtime/base/dtype.h"

namespace cppgen {

// ONNX's 8-bit formats: a sign, an exponent, and `fraction_bits`; subnormals are as in IEEE 754.
struct Float8Format {
  int fraction_bits, bias;
  bool infinities;     // and several NaNs, as in IEEE 754; otherwise the greatest exponent has numbers, too
  bool negative_zero;  // otherwise its code is the only NaN

  constexpr uint32_t overflow() const { return infinities ? 0x7c : negative_zero ? 0x7f : 0x80; }  // infinity or NaN
  constexpr uint32_t greatest() const { return infinities ? 0x7b : negative_zero ? 0x7e : 0x7f; }  // of the numbers
};

constexpr Float8Format float8_format(DType type) {
  switch (type) {
#define CPPGEN_DTYPE(...)
#define CPPGEN_FLOAT8(id, NAME, name, onnx, fraction_bits, bias, infinities, negative_zero) \
  case DType::id:                                                                           \
    return {fraction_bits, bias, infinities, negative_zero};
#include "runtime/base/dtypes.def"
    default:
      return {};
  }
}

constexpr uint32_t kQuietNaN = 0x7fc00000, kInfinity = 0x7f800000;

template <Float8Format F>
float f8_to_f32(uint8_t code) {
  const uint32_t magnitude = code & 0x7fu, sign = F.negative_zero ? (code & 0x80u) << 24 : 0;
  if (!F.negative_zero && code == 0x80) return std::bit_cast<float>(kQuietNaN);
  if (F.negative_zero && magnitude > F.greatest())
    return std::bit_cast<float>(sign | (F.infinities && magnitude == F.overflow() ? kInfinity : kQuietNaN));
  const float unit = std::bit_cast<float>(static_cast<uint32_t>(128 - F.bias - F.fraction_bits) << 23);
  const float value =
      magnitude < 1u << F.fraction_bits
          ? static_cast<float>(magnitude) * unit
          : std::bit_cast<float>((magnitude << (23 - F.fraction_bits)) + (static_cast<uint32_t>(127 - F.bias) << 23));
  return code & 0x80 ? -value : value;
}

// Rounds to nearest even; beyond the greatest number, the result is infinity if the format has it, else NaN. The sign
// of NaN and zero is kept if the format has both.
template <Float8Format F>
uint8_t f32_to_f8(float x) {
  constexpr int shift = 23 - F.fraction_bits;
  // Adding this rounds to multiples of the smallest number, its last place.
  constexpr uint32_t shifter = static_cast<uint32_t>(128 - F.bias + shift) << 23;
  const uint32_t bits = std::bit_cast<uint32_t>(x), magnitude = bits & 0x7fffffffu, sign = bits >> 24 & 0x80u;
  if (magnitude > kInfinity) return static_cast<uint8_t>(F.negative_zero ? sign | 0x7fu : 0x80u);
  uint32_t code = 0;
  if (magnitude < static_cast<uint32_t>(128 - F.bias) << 23)
    code = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(shifter)) - shifter;
  else
    code = ((magnitude + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1u)) >> shift) -
           (static_cast<uint32_t>(127 - F.bias) << F.fraction_bits);
  if (code > F.greatest()) code = F.overflow();
  if (!F.negative_zero && code == 0) return 0;
  return static_cast<uint8_t>(sign | code);
}

float f8_to_f32(DType, uint8_t code);
uint8_t f32_to_f8(DType, float);
float greatest_f8(DType);  // the greatest number

}  // namespace cppgen
