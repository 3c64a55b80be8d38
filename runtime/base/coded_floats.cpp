#include "runtime/base/coded_floats.h"

#include <algorithm>
#include <cmath>

namespace cppgen {
namespace {

float decoded_e2m1(uint8_t code) {
  const float magnitude = float(code & 7);
  const float value = std::max(magnitude / 2, std::max(magnitude - 2, 2 * magnitude - 8));
  return code & 8 ? -value : value;
}

uint8_t encoded_e2m1(float x) {
  if (std::isnan(x)) return 8;
  const float a = std::fabs(x);
  const float code = a <= 2 ? std::nearbyint(2 * a) : a <= 4 ? std::nearbyint(a) + 2 : std::nearbyint(a / 2) + 4;
  return uint8_t(uint8_t(std::min(code, 7.0f)) | (std::signbit(x) ? 8 : 0));
}

uint8_t encoded_e8m0(float x) {
  if (std::isnan(x)) return 255;
  if (x <= 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(x, &exponent);  // in [0.5, 1)
  if (std::isinf(x)) return 254;
  return uint8_t(std::clamp(exponent + 126 + (fraction > 0.5f), 0, 254));
}

}  // namespace

float decoded(DType type, uint8_t code) {
  if (type == DType::f4e2m1) return decoded_e2m1(code);
  return code == 255 ? NAN : std::ldexp(1.0f, code - 127);
}

uint8_t encoded(DType type, float x) { return type == DType::f4e2m1 ? encoded_e2m1(x) : encoded_e8m0(x); }

}  // namespace cppgen
