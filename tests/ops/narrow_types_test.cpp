// float8, int4 and uint4: conversions as ONNX's tables say, operators that move elements, and those that refuse them.
#include <gtest/gtest.h>

#include <cmath>

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

int onnx_number(DType t) {
  if (t == DType::u4) return 21;
  if (t == DType::i4) return 22;
  return is_float8(t) ? 17 + int(t) - int(DType::f8e4m3fn) : t == DType::f16 ? 10 : t == DType::bf16 ? 16 : 1;
}

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
  for (DType type : {DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::i4, DType::u4})
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
  EXPECT_EQ(error_of({"Cast", 21, {{"to", integer(24)}}, {x}}),
            "node 'Cast#0' (Cast, opset 21): element type 24 is not supported");
}

}  // namespace
}  // namespace cppgen::ops_test
