#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace cppgen::ops {

// The numbers that 16-bit storage stands for.
inline float float_of_bfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

inline float float_of_half(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  float fraction = float(bits & 1023);
  float magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                    : exponent == 0 ? std::ldexp(fraction, -24)
                                    : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace cppgen::ops
