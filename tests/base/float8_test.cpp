// The float8 types as the tables of ONNX's documentation define them.
#include "runtime/base/float8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/base/elements.h"

namespace cppgen {
namespace {

// Written apart from Float8Format.
struct Row {
  DType type;
  int fraction_bits, bias;
  std::vector<int> nans, infinities;  // codes
  float greatest, least;
};
const Row kRows[] = {
    {DType::f8e4m3fn, 3, 7, {0x7f, 0xff}, {}, 448, 0x1p-9f},
    {DType::f8e4m3fnuz, 3, 8, {0x80}, {}, 240, 0x1p-10f},
    {DType::f8e5m2, 2, 15, {0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff}, {0x7c, 0xfc}, 57344, 0x1p-16f},
    {DType::f8e5m2fnuz, 2, 16, {0x80}, {}, 57344, 0x1p-17f},
};

bool contains(const std::vector<int>& list, int code) {
  return std::find(list.begin(), list.end(), code) != list.end();
}

double number_of(const Row& row, int code) {
  const int exponent = (code & 0x7f) >> row.fraction_bits, fraction = code & ((1 << row.fraction_bits) - 1);
  const double significand = std::ldexp(fraction, -row.fraction_bits) + (exponent > 0);
  return (code & 0x80 ? -1 : 1) * std::ldexp(significand, std::max(exponent, 1) - row.bias);
}

TEST(Float8, EveryCodeIsItsFormula) {
  for (const Row& row : kRows)
    for (int code = 0; code < 256; code++) {
      const float x = f8_to_f32(row.type, uint8_t(code));
      const auto byte = uint8_t(code);
      if (contains(row.nans, code)) {
        EXPECT_TRUE(std::isnan(x)) << name_of(row.type) << " " << code;
        EXPECT_TRUE(contains(row.nans, f32_to_f8(row.type, x)));
        continue;
      }
      const double expected =
          contains(row.infinities, code) ? std::copysign(HUGE_VAL, number_of(row, code)) : number_of(row, code);
      EXPECT_EQ(double(x), expected) << name_of(row.type) << " " << code;
      EXPECT_EQ(std::signbit(x), code >= 0x80);
      EXPECT_EQ(f32_to_f8(row.type, x), code) << name_of(row.type);
      EXPECT_EQ(number_element(row.type, &byte, 0), double(x));
    }
}

TEST(Float8, Limits) {
  for (const Row& row : kRows) {
    EXPECT_EQ(greatest_f8(row.type), row.greatest);
    EXPECT_EQ(f8_to_f32(row.type, 1), row.least);
    EXPECT_EQ(f32_to_f8(row.type, row.least / 2), 0);  // a tie: even
    EXPECT_EQ(f32_to_f8(row.type, std::nextafter(row.least / 2, 1.0f)), 1);
    EXPECT_EQ(f32_to_f8(row.type, row.least * 1.5f), 2);
    const bool one_zero = row.nans.size() == 1;
    EXPECT_EQ(f32_to_f8(row.type, -0.0f), one_zero ? 0 : 0x80);
    EXPECT_EQ(f32_to_f8(row.type, -row.least / 4), one_zero ? 0 : 0x80);
    for (float beyond : {2 * row.greatest, 1e38f, HUGE_VALF}) {
      const int code = f32_to_f8(row.type, beyond);
      EXPECT_TRUE(contains(row.infinities.empty() ? row.nans : row.infinities, code)) << name_of(row.type) << code;
    }
  }
  // Halfway to where the next number would be: to even, so 448 stays, and 240, 57344 do not.
  EXPECT_EQ(f32_to_f8(DType::f8e4m3fn, 464), 0x7e);
  EXPECT_EQ(f32_to_f8(DType::f8e4m3fn, 464.5), 0x7f);
  EXPECT_EQ(f32_to_f8(DType::f8e4m3fnuz, 247.9f), 0x7f);
  EXPECT_EQ(f32_to_f8(DType::f8e4m3fnuz, 248), 0x80);
  EXPECT_EQ(f32_to_f8(DType::f8e5m2, 61439), 0x7b);
  EXPECT_EQ(f32_to_f8(DType::f8e5m2, -61440), 0xfc);
}

}  // namespace
}  // namespace cppgen
