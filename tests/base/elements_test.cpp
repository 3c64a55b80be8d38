#include "runtime/base/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runtime/base/errors.h"
#include "runtime/base/narrow_floats.h"
#include "runtime/base/value_types.h"

namespace cppgen {
namespace {

template <class T>
double number_of(DType type, T value) {
  const T data[] = {T(), value};
  return number_element(type, data, 1);
}

template <class T>
int64_t integer_of(DType type, T value) {
  const T data[] = {T(), value};
  return integer_element(type, data, 1);
}

TEST(Elements, EveryTypeIsANumber) {
  EXPECT_EQ(number_of<float>(DType::f32, -1.5f), -1.5);
  EXPECT_EQ(number_of<double>(DType::f64, 0.1), 0.1);
  EXPECT_EQ(number_of<uint16_t>(DType::f16, 0xC200), -3);
  EXPECT_EQ(number_of<uint16_t>(DType::bf16, 0xC040), -3);
  EXPECT_EQ(number_of<int8_t>(DType::i8, -3), -3);
  EXPECT_EQ(number_of<int16_t>(DType::i16, -300), -300);
  EXPECT_EQ(number_of<int32_t>(DType::i32, -70000), -70000);
  EXPECT_EQ(number_of<int64_t>(DType::i64, -(int64_t(1) << 40)), -0x1p40);
  EXPECT_EQ(number_of<uint8_t>(DType::u8, 200), 200);
  EXPECT_EQ(number_of<uint16_t>(DType::u16, 60000), 60000);
  EXPECT_EQ(number_of<uint32_t>(DType::u32, 4000000000u), 4e9);
  EXPECT_EQ(number_of<uint64_t>(DType::u64, uint64_t(1) << 63), 0x1p63);
  EXPECT_EQ(number_of<uint8_t>(DType::boolean, 1), 1);
  EXPECT_EQ(number_of<uint8_t>(DType::f8e4m3fn, 0xC4), -3);
  EXPECT_EQ(number_of<uint8_t>(DType::f8e5m2, 0xC2), -3);
  EXPECT_EQ(number_of<int8_t>(DType::i4, -8), -8);
  EXPECT_EQ(number_of<uint8_t>(DType::u4, 15), 15);
}

TEST(Elements, IntegersAreExact) {
  EXPECT_EQ(integer_of<int64_t>(DType::i64, std::numeric_limits<int64_t>::max()), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(integer_of<uint64_t>(DType::u64, ~uint64_t(0)), -1);
  EXPECT_EQ(integer_of<uint8_t>(DType::boolean, 1), 1);
  EXPECT_THROW(integer_of<float>(DType::f32, 1), InternalError);
}

TEST(NarrowFloats, EveryHalfGoesToFloatAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; bits++) {
    const float wide = f16_to_f32(uint16_t(bits));
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(wide)))) << bits;
    else
      EXPECT_EQ(f32_to_f16(wide), bits);
  }
}

TEST(ValueTypes, HaveTheSizesOfTheirRows) {
  for (int i = 0; i < kDTypeCount; i++) {
    const auto type = DType(i);
    const auto size = [](auto value) { return sizeof(Stored<decltype(value)>); };
    EXPECT_EQ(with_value_type(dtype_row(type).value, size), size_of(dtype_row(type).value)) << name_of(type);
    if (dtype_row(type).storage != DTypeStorage::value)
      EXPECT_THROW(with_value_type(type, size), InternalError) << name_of(type);
    if (is_narrow_float(type))
      EXPECT_EQ(with_narrow_float(type, [](auto narrow) { return sizeof(narrow.narrowed(0)); }), size_of(type));
    else
      EXPECT_THROW(with_narrow_float(type, [](auto narrow) { return int(narrow.narrowed(0)); }), InternalError);
  }
  EXPECT_TRUE((std::is_same_v<Wrapping<int8_t>, uint8_t> && std::is_same_v<Wrapping<bool>, uint8_t>));
  EXPECT_TRUE((std::is_same_v<Wrapping<double>, double>));
}

TEST(NarrowFloats, HalvesAreWhatIeeeSays) {
  EXPECT_EQ(f16_to_f32(0x0001), 0x1p-24f);
  EXPECT_EQ(f16_to_f32(0x03FF), 0x3FFp-24f);
  EXPECT_EQ(f16_to_f32(0x7BFF), 65504);
  EXPECT_EQ(f16_to_f32(0xFC00), -INFINITY);
  EXPECT_EQ(f32_to_f16(65520), 0x7C00);
  EXPECT_EQ(f32_to_f16(1 + 0x1p-11f), 0x3C00);  // a tie goes to even
  EXPECT_EQ(f32_to_f16(1 + 0x3p-11f), 0x3C02);
}

}  // namespace
}  // namespace cppgen
