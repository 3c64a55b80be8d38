// float8, float4e2m1, float8e8m0 and integers of four and two bits: conversions as ONNX's tables say, operators that
// move elements, and those that refuse them.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/base/coded_floats.h"
#include "runtime/base/elements.h"
#include "runtime/base/float8.h"
#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

constexpr float kInf = INFINITY;

HostTensor typed(HostTensor t, DType type) {
  t.type = type;
  return t;
}
HostTensor codes(DType type, const std::vector<uint8_t>& bytes) {
  return typed(tensor<uint8_t>({int64_t(bytes.size())}, bytes), type);
}
HostTensor floats(const std::vector<float>& values) { return tensor<float>({int64_t(values.size())}, values); }

int onnx_number(DType t) { return dtype_row(t).onnx; }

HostTensor cast(const HostTensor& x, int to, bool saturate = true, int opset = 21) {
  NodeCase c{"Cast", opset, {{"to", integer(to)}}, {x}};
  if (!saturate) c.attributes["saturate"] = int64_t{0};
  return run(c)[0];
}

struct Row {
  float x;
  uint8_t saturated[4], otherwise[4];  // E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ
};
// ONNX's documentation has NaN for infinities of the FNUZ types; its reference code, its test data and ONNX Runtime
// saturate them.
const Row kCasts[] = {
    {0.0f, {0, 0, 0, 0}, {0, 0, 0, 0}},
    {-0.0f, {0x80, 0, 0x80, 0}, {0x80, 0, 0x80, 0}},
    {NAN, {0x7f, 0x80, 0x7f, 0x80}, {0x7f, 0x80, 0x7f, 0x80}},
    {kInf, {0x7e, 0x7f, 0x7b, 0x7f}, {0x7f, 0x80, 0x7c, 0x80}},
    {-kInf, {0xfe, 0xff, 0xfb, 0xff}, {0xff, 0x80, 0xfc, 0x80}},
    {1e6f, {0x7e, 0x7f, 0x7b, 0x7f}, {0x7f, 0x80, 0x7c, 0x80}},
    {-1e6f, {0xfe, 0xff, 0xfb, 0xff}, {0xff, 0x80, 0xfc, 0x80}},
    {464, {0x7e, 0x7f, 0x5f, 0x63}, {0x7e, 0x80, 0x5f, 0x63}},
    {1, {0x38, 0x40, 0x3c, 0x40}, {0x38, 0x40, 0x3c, 0x40}},
    {1.0625f, {0x38, 0x40, 0x3c, 0x40}, {0x38, 0x40, 0x3c, 0x40}},
    {1.1875f, {0x3a, 0x42, 0x3d, 0x41}, {0x3a, 0x42, 0x3d, 0x41}},
    {1e-7f, {0, 0, 0, 0}, {0, 0, 0, 0}},
};

TEST(Float8Cast, FollowsTheTables) {
  for (int t = 0; t < 4; t++)
    for (const Row& row : kCasts) {
      EXPECT_EQ(values_of<uint8_t>(cast(floats({row.x}), 17 + t))[0], row.saturated[t]) << row.x << " to " << 17 + t;
      EXPECT_EQ(values_of<uint8_t>(cast(floats({row.x}), 17 + t, false))[0], row.otherwise[t])
          << row.x << " to " << 17 + t;
    }
}

TEST(Float8Cast, EveryCodeToFloatAndBack) {
  std::vector<uint8_t> all(256);
  for (int i = 0; i < 256; i++) all[size_t(i)] = uint8_t(i);
  for (DType type : {DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz})
    for (int wide : {1, 10, 16, 11}) {
      const HostTensor up = cast(codes(type, all), wide), back = cast(up, onnx_number(type), false);
      for (int i = 0; i < 256; i++) {
        const double x = number_element(type, all.data(), i), y = number_element(up.type, up.bytes.data(), i);
        if (std::isnan(x))
          EXPECT_TRUE(std::isnan(y) && std::isnan(number_element(type, back.bytes.data(), i))) << i;
        else
          EXPECT_TRUE(x == y && values_of<uint8_t>(back)[size_t(i)] == all[size_t(i)]) << name_of(type) << " " << i;
      }
    }
}

TEST(Float8Cast, OtherTypes) {
  EXPECT_EQ(values_of<uint8_t>(cast(tensor<int64_t>({3}, {3, -500, 17}), 17)),
            (std::vector<uint8_t>{0x44, 0xfe, 0x58}));
  EXPECT_EQ(values_of<uint8_t>(cast(tensor<bool>({2}, {true, false}), 19)), (std::vector<uint8_t>{0x3c, 0}));
  EXPECT_EQ(values_of<int32_t>(cast(codes(DType::f8e4m3fn, {0x44, 0xfe, 0x7f}), 6)),
            (std::vector<int32_t>{3, -448, 0}));
  NodeCase like{"CastLike", 21, {{"saturate", integer(0)}}, {floats({1e9f}), codes(DType::f8e5m2, {0})}};
  EXPECT_EQ(values_of<uint8_t>(run(like)[0])[0], 0x7c);
}

// Floats round and saturate, integers keep their low bits.
TEST(FourBitCast, FromAndToOtherTypes) {
  const HostTensor x = floats({-9, -8, -0.5f, 2.5f, 3.5f, 7, 8, 15, 16, NAN, kInf, -kInf});
  EXPECT_EQ(values_of<int8_t>(cast(x, 22)), (std::vector<int8_t>{-8, -8, 0, 2, 4, 7, 7, 7, 7, 0, 7, -8}));
  EXPECT_EQ(values_of<uint8_t>(cast(x, 21)), (std::vector<uint8_t>{0, 0, 0, 2, 4, 7, 8, 15, 15, 0, 15, 0}));
  const HostTensor n = tensor<int32_t>({6}, {-9, -8, 7, 8, 300, -1});
  EXPECT_EQ(values_of<int8_t>(cast(n, 22)), (std::vector<int8_t>{7, -8, 7, -8, -4, -1}));
  EXPECT_EQ(values_of<uint8_t>(cast(n, 21)), (std::vector<uint8_t>{7, 8, 7, 8, 12, 15}));
  const HostTensor q = codes(DType::i4, {0xf8, 7});
  EXPECT_EQ(values_of<float>(cast(q, 1)), (std::vector<float>{-8, 7}));
  EXPECT_EQ(values_of<uint8_t>(cast(q, 21)), (std::vector<uint8_t>{8, 7}));
  EXPECT_EQ(values_of<int8_t>(cast(codes(DType::u4, {8, 7}), 22)), (std::vector<int8_t>{-8, 7}));
}

// Integers of two bits came with version 25, where floats keep the low bits, too.
TEST(SmallIntegerCast, FloatsKeepTheirLowBitsFromVersion24On) {
  const HostTensor x = floats({-9, -8, -3, -2, -1, 0, 1, 2, 3, 4, 15, 16, NAN});
  EXPECT_EQ(values_of<int8_t>(cast(x, 22, true, 24)),
            (std::vector<int8_t>{7, -8, -3, -2, -1, 0, 1, 2, 3, 4, -1, 0, 0}));
  EXPECT_EQ(values_of<int8_t>(cast(x, 26, true, 25)),
            (std::vector<int8_t>{-1, 0, 1, -2, -1, 0, 1, -2, -1, 0, -1, 0, 0}));
  EXPECT_EQ(values_of<uint8_t>(cast(x, 25, true, 25)), (std::vector<uint8_t>{3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 3, 0, 0}));
  EXPECT_EQ(values_of<float>(cast(codes(DType::i2, {0xfe, 0xff, 0, 1}), 1)), (std::vector<float>{-2, -1, 0, 1}));
}

// Ties go to even codes; what is too great becomes 6, NaN -0.
TEST(CodedFloatCast, Float4) {
  const HostTensor x =
      floats({0, -0.0f, 0.25f, 0.26f, 0.75f, 1.25f, 1.75f, 2.5f, -2.6f, 3.5f, 5, 5.1f, 7, -1e9f, kInf, NAN});
  const std::vector<uint8_t> expected{0, 8, 0, 1, 2, 2, 4, 4, 13, 6, 6, 7, 7, 15, 7, 8};
  for (int opset : {23, 25}) EXPECT_EQ(values_of<uint8_t>(cast(x, 23, true, opset)), expected);
  std::vector<uint8_t> all(16);
  for (int i = 0; i < 16; i++) all[size_t(i)] = uint8_t(i);
  const HostTensor up = cast(codes(DType::f4e2m1, all), 1);
  EXPECT_EQ(values_of<float>(up),
            (std::vector<float>{0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6}));
  EXPECT_TRUE(std::signbit(values_of<float>(up)[8]));
  EXPECT_EQ(values_of<uint8_t>(cast(up, 23)), all);
  EXPECT_EQ(values_of<int8_t>(cast(codes(DType::f4e2m1, {7, 13}), 3)), (std::vector<int8_t>{6, -3}));
}

HostTensor power_cast(const std::vector<float>& values, const char* mode, bool saturate) {
  NodeCase c{"Cast", 24, {{"to", integer(24)}, {"round_mode", std::string(mode)}}, {floats(values)}};
  c.attributes["saturate"] = int64_t(saturate);
  return run(c)[0];
}

TEST(CodedFloatCast, PowersOfTwo) {
  const std::vector<float> x{0, 0x1p-140f, 0x1p-127f, 0.124f, 0.25f, 1.1f, 3, 0x1.8p127f, 0x1p127f, kInf, NAN};
  EXPECT_EQ(values_of<uint8_t>(power_cast(x, "up", true)),
            (std::vector<uint8_t>{0, 0, 0, 124, 125, 128, 129, 254, 254, 254, 255}));
  EXPECT_EQ(values_of<uint8_t>(power_cast(x, "down", true)),
            (std::vector<uint8_t>{0, 0, 0, 123, 125, 127, 128, 254, 254, 254, 255}));
  EXPECT_EQ(values_of<uint8_t>(power_cast(x, "nearest", false)),
            (std::vector<uint8_t>{255, 255, 0, 124, 125, 127, 129, 255, 254, 255, 255}));
  EXPECT_EQ(error_of({"Cast", 24, {{"to", integer(24)}, {"round_mode", std::string("even")}}, {floats({1})}}),
            "node 'Cast#0' (Cast, opset 24): attribute 'round_mode' is 'even'; allowed are up, down, nearest");
  std::vector<uint8_t> all(256);
  for (int i = 0; i < 256; i++) all[size_t(i)] = uint8_t(i);
  const HostTensor up = cast(codes(DType::f8e8m0, all), 1);
  for (int i = 0; i < 255; i++) EXPECT_EQ(values_of<float>(up)[size_t(i)], std::ldexp(1.0f, i - 127)) << i;
  EXPECT_TRUE(std::isnan(values_of<float>(up)[255]));
  EXPECT_EQ(values_of<uint8_t>(cast(up, 24)), all);
}

// Microscaling formats store weights so: blocks of float4 with a power of two each.
TEST(CodedFloats, AreQuantizedWithPowersOfTwo) {
  const HostTensor scale = typed(tensor<uint8_t>({1, 2}, {128, 126}), DType::f8e8m0);  // 2, 0.5
  const HostTensor x = tensor<float>({1, 4}, {1, -12, 0.25f, 1.4f});
  const std::map<std::string, Attribute> blocks{{"axis", integer(1)}, {"block_size", integer(2)}};
  NodeCase quantize{"QuantizeLinear", 24, blocks, {x, scale, typed(tensor<uint8_t>({1, 2}, {0, 0}), DType::f4e2m1)}};
  EXPECT_EQ(values_of<uint8_t>(run(quantize)[0]), (std::vector<uint8_t>{1, 15, 1, 5}));
  NodeCase back{"DequantizeLinear", 24, blocks, {run(quantize)[0], scale}};
  back.attributes["output_dtype"] = integer(1);
  EXPECT_EQ(values_of<float>(run(back)[0]), (std::vector<float>{1, -12, 0.25f, 1.5f}));
}

TEST(CodedFloats, BitsAndNumbersAgreeWithTheHost) {
  for (DType type : {DType::f4e2m1, DType::f8e8m0})
    for (int i = 0; i < 256; i++) {
      const float x = std::ldexp(float(i - 128), i % 7 - 5);
      if (type == DType::f8e8m0 && x < 0) continue;
      EXPECT_EQ(values_of<uint8_t>(cast(floats({x}), onnx_number(type)))[0], encoded(type, x)) << x;
    }
}

struct Movement {
  std::string op;
  int opset;
  std::map<std::string, Attribute> attributes;
  std::vector<HostTensor> more;
};

TEST(NarrowTypes, AreMoved) {
  const std::vector<Movement> movements{
      {"Identity", 19, {}, {}},
      {"Reshape", 19, {}, {tensor<int64_t>({2}, {3, 2})}},
      {"Transpose", 21, {{"perm", ints({1, 0})}}, {}},
      {"Flatten", 21, {}, {}},
      {"Squeeze", 21, {}, {}},
      {"Unsqueeze", 21, {}, {tensor<int64_t>({1}, {0})}},
      {"Pad", 21, {}, {tensor<int64_t>({4}, {1, 0, 0, 2})}},
      {"Slice", 13, {}, {tensor<int64_t>({1}, {0}), tensor<int64_t>({1}, {1})}},
  };
  for (DType type : {DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::i4, DType::u4,
                     DType::f4e2m1, DType::f8e8m0})
    for (const Movement& m : movements) {
      HostTensor x = typed(tensor<uint8_t>({2, 3}, {1, 2, 3, 4, 5, 7}), type), bytes = x;
      bytes.type = DType::u8;
      NodeCase c{m.op, m.opset, m.attributes, {x}, {false, true, true}}, plain{m.op, 17, m.attributes, {bytes}};
      for (const HostTensor& t : m.more) c.inputs.push_back(t), plain.inputs.push_back(t);
      plain.constant = c.constant;
      const auto moved = run(c)[0], expected = run(plain)[0];
      EXPECT_EQ(moved.type, type);
      EXPECT_EQ(moved.dims, expected.dims) << m.op;
      EXPECT_EQ(moved.bytes, expected.bytes) << m.op;
    }
}

TEST(NarrowTypes, AreQuantizedInBothDomains) {
  for (const char* domain : {"", "com.microsoft"}) {
    NodeCase c{"DequantizeLinear", 21, {}, {codes(DType::i4, {0xf8, 7}), floats({0.5f})}};
    c.domain = domain;
    if (*domain) c.opset = 1;
    EXPECT_EQ(values_of<float>(run(c)[0]), (std::vector<float>{-4, 3.5f})) << domain;
  }
}

TEST(NarrowTypes, ArithmeticRefuses) {
  const HostTensor x = codes(DType::f8e5m2, {1, 2}), q = codes(DType::i4, {1, 2});
  EXPECT_EQ(error_of({"Add", 14, {}, {x, x}}),
            "node 'Add#0' (Add, opset 14): input 0 is float8e5m2; such a type can only be converted and moved");
  EXPECT_EQ(error_of({"Relu", 14, {}, {q}}),
            "node 'Relu#0' (Relu, opset 14): input 0 is int4; such a type can only be converted and moved");
  EXPECT_EQ(
      error_of({"EyeLike", 22, {{"dtype", integer(17)}}, {ramp({2, 2})}}),
      "node 'EyeLike#0' (EyeLike, opset 22): output 0 is float8e4m3fn; such a type can only be converted and moved");
  EXPECT_EQ(error_of({"Cast", 21, {{"to", integer(14)}}, {x}}),
            "node 'Cast#0' (Cast, opset 21): element type 14 is not supported");
}

}  // namespace
}  // namespace cppgen::ops_test
