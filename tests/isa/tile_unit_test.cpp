// The emulated tile unit, and the self-check of others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/contraction/tile_unit_check.h"

namespace {

using namespace cppgen;
using namespace cppgen::rt;

constexpr int kSide = 16, kPairs = 32;

// The sum of one row of a and one column of b, all others being zero, added to `start`.
float dot(const std::vector<float>& a, const std::vector<float>& b, float start = 0) {
  alignas(64) uint16_t left[kSide * kPairs] = {}, right[kSide * kPairs] = {};
  alignas(64) float c[kSide * kSide] = {};
  constexpr int kRow = 3, kColumn = 5;
  for (size_t k = 0; k < a.size(); k++) {
    left[kRow * kPairs + k] = f32_to_bf16(a[k]);
    right[k / 2 * kPairs + kColumn * 2 + k % 2] = f32_to_bf16(b[k]);
  }
  c[kRow * kSide + kColumn] = start;
  EmulatedTileUnit unit;
  unit.configure();
  unit.load<0>(c, 64), unit.load<4>(left, 64), unit.load<6>(right, 64);
  unit.dot_bf16<0, 4, 6>();
  unit.store<0>(c, 64);
  for (int i = 0; i < kSide * kSide; i++) {
    const bool elsewhere = i / kSide != kRow && i % kSide != kColumn;
    EXPECT_TRUE(!elsewhere || c[i] == 0) << i;
  }
  return c[kRow * kSide + kColumn];
}

TEST(EmulatedTileUnit, SumsEvenAndOddProductsApart) {
  EXPECT_EQ(dot({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, 1000), 1000 + 6 + 14 + 24 + 36 + 50);
  // Even products cancel before a small odd one is added; in order it would be lost.
  EXPECT_EQ(dot({0x1p30f, 1, -0x1p30f}, {1, 0x1p-10f, 1}), 0x1p-10f);
  EXPECT_EQ(dot({0x1p30f, -0x1p30f, 1}, {1, 1, 0x1p-10f}), 0);
  // Products are not rounded before they are added.
  EXPECT_EQ(dot({1 + 0x1p-7f, 0, -1}, {1 + 0x1p-7f, 0, 1 + 0x1p-6f}), 0x1p-14f);
}

TEST(EmulatedTileUnit, FlushesDenormals) {
  EXPECT_EQ(dot({0x1p-127f}, {0x1p100f}), 0);               // an operand
  EXPECT_EQ(dot({0x1p-64f}, {0x1p-63f}), 0);                // a product
  EXPECT_EQ(dot({0x1p-63f}, {0x1p-63f}), 0x1p-126f);        // the least normal
  EXPECT_EQ(dot({0}, {0}, 0x1p-127f), 0);                   // the sum that was there
  EXPECT_EQ(dot({0x1p-63f}, {-0x1p-63f}, 0x1.8p-126f), 0);  // the new sum
}

TEST(EmulatedTileUnit, KeepsWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(dot({infinity, 1}, {2, 1}), infinity);
  EXPECT_EQ(dot({0x1p127f}, {-4}), -infinity);
  EXPECT_TRUE(std::isnan(dot({infinity}, {0})));
  EXPECT_TRUE(std::isnan(dot({infinity, infinity}, {1, -1})));
  EXPECT_TRUE(std::isnan(dot({NAN}, {0})));
}

TEST(EmulatedTileUnit, BytesWrapAround) {
  alignas(64) int8_t left[kSide * 64] = {}, right[kSide * 64] = {};
  alignas(64) int32_t c[kSide * kSide] = {};
  left[64 + 6] = -1, right[64 + 4 * 7 + 2] = -3, c[kSide + 7] = std::numeric_limits<int32_t>::max();
  const auto run = [&](auto multiply) {
    alignas(64) int32_t sums[kSide * kSide];
    EmulatedTileUnit unit;
    unit.configure();
    unit.load<0>(c, 64), unit.load<1>(left, 64), unit.load<2>(right, 64);
    multiply(unit);
    unit.store<0>(sums, 64);
    return sums[kSide + 7];
  };
  EXPECT_EQ(run([](auto& unit) { unit.template dot_i8<0, 1, 2>(); }), std::numeric_limits<int32_t>::min() + 2);
  EXPECT_EQ(run([](auto& unit) { unit.template dot_u8<0, 1, 2>(); }), std::numeric_limits<int32_t>::max() - 255 * 3);
}

TEST(EmulatedTileUnitDeathTest, TrapsWithoutConfiguration) { EXPECT_DEATH(EmulatedTileUnit().zero<0>(), ""); }

// A unit with a fault for the self-check to find.
struct SwapsOperands : EmulatedTileUnit {
  template <int C, int A, int B>
  void dot_bf16() {
    EmulatedTileUnit::dot_bf16<C, B, A>();
  }
};
struct SignedOnly : EmulatedTileUnit {
  template <int C, int A, int B>
  void dot_u8() {
    dot_i8<C, A, B>();
  }
};

TEST(TileUnitCheck, FindsOtherResults) {
  EXPECT_EQ(difference_from_emulation<EmulatedTileUnit>(), "");
  EXPECT_EQ(difference_from_emulation<SwapsOperands>(), "products of bfloat16");
  EXPECT_EQ(difference_from_emulation<SignedOnly>(), "products of uint8");
}

}  // namespace
