// Values and conversions, as expr.h states them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/ir/builders.h"

namespace cppgen::ir {
namespace {

template <class T>
std::vector<T> convert(const HostTensor& x, DType to) {
  return values_of<T>(map_values(x, to, [&](ExprArena& e, Expr v) { return e.cast(value_type(to), v); }));
}

template <class T>
std::vector<T> apply(UnaryOp op, DType type, const std::vector<T>& x) {
  const auto f = [&](ExprArena& e, Expr v) { return e.unary(op, v); };
  return values_of<T>(map_values(tensor(type, {static_cast<int64_t>(x.size())}, x), type, f));
}

// y[i] = op(a[i], b[i])
template <class T, class R = T>
std::vector<R> apply(BinaryOp op, DType type, DType result, const std::vector<T>& a, const std::vector<T>& b) {
  Program p;
  const IndexExpr n = p.index->symbol("N");
  const BufferId x = input(p, "a", type, {n}), y = input(p, "b", type, {n}), z = output(p, "z", result, {n});
  NestBuilder nest(p);
  const IndexExpr i = nest.loop("i", n);
  nest.store(z, {i}, p.exprs->binary(op, load(p, x, {i}), load(p, y, {i})));
  nest.done();
  verify(p);
  const auto count = static_cast<int64_t>(a.size());
  return values_of<R>(interpret(p, {tensor(type, {count}, a), tensor(type, {count}, b)})[0]);
}

TEST(Values, HalfRoundsToNearestEven) {
  const std::vector<float> x = {1.0f,     2049.0f,    2051.0f, 65519.0f,     65520.0f, 0x1p-24f,
                                0x1p-25f, 0x1.8p-24f, -0.0f,   0x1.ffcp-15f, -INFINITY};
  const std::vector<uint16_t> bits = {0x3c00, 0x6800, 0x6802, 0x7bff, 0x7c00, 1, 0, 2, 0x8000, 0x0400, 0xfc00};
  EXPECT_EQ(convert<uint16_t>(tensor(DType::f32, {11}, x), DType::f16), bits);
  const std::vector<uint16_t> nan = convert<uint16_t>(tensor<float>(DType::f32, {1}, {NAN}), DType::f16);
  EXPECT_GT(nan[0] & 0x7fff, 0x7c00);
}

TEST(Values, EveryHalfSurvivesARoundTrip) {
  std::vector<uint16_t> all(65536), kept;
  for (size_t i = 0; i < all.size(); i++) all[i] = static_cast<uint16_t>(i);
  for (const DType type : {DType::f16, DType::bf16}) {
    const uint16_t inf = type == DType::f16 ? 0x7c00 : 0x7f80;
    const auto back = convert<uint16_t>(tensor(type, {65536}, all), type);
    for (size_t i = 0; i < all.size(); i++)
      if ((all[i] & 0x7fff) <= inf) {
        ASSERT_EQ(back[i], all[i]);
      }
  }
  const auto wide = convert<float>(tensor<uint16_t>(DType::f16, {4}, {0x3555, 0x0001, 0xc400, 0x7bff}), DType::f32);
  EXPECT_EQ(wide, (std::vector<float>{0x1.554p-2f, 0x1p-24f, -4.0f, 65504.0f}));
}

TEST(Values, BrainFloatRoundsToNearestEven) {
  const auto f = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  const std::vector<float> x = {f(0x3f808000), f(0x3f818000), f(0x3f808001), f(0x7f7fffff), f(0x7f800001)};
  EXPECT_EQ(convert<uint16_t>(tensor(DType::f32, {5}, x), DType::bf16),
            (std::vector<uint16_t>{0x3f80, 0x3f82, 0x3f81, 0x7f80, 0x7fc0}));
  EXPECT_EQ(apply<float>(UnaryOp::round_bf16, DType::f32, {f(0x3f808001)})[0], f(0x3f810000));
  EXPECT_EQ(apply<float>(UnaryOp::round_f16, DType::f32, {2049.0f})[0], 2048.0f);
}

TEST(Values, FloatsBecomeIntegersByTruncationAndSaturation) {
  const HostTensor x = tensor<float>(DType::f32, {8}, {1.9f, -1.9f, 300.0f, -300.0f, 1e20f, -1e20f, NAN, -0.5f});
  EXPECT_EQ(convert<int8_t>(x, DType::i8), (std::vector<int8_t>{1, -1, 127, -128, 127, -128, 0, 0}));
  EXPECT_EQ(convert<uint8_t>(x, DType::u8), (std::vector<uint8_t>{1, 0, 255, 0, 255, 0, 0, 0}));
  EXPECT_EQ(convert<int64_t>(x, DType::i64), (std::vector<int64_t>{1, -1, 300, -300, INT64_MAX, INT64_MIN, 0, 0}));
  EXPECT_EQ(convert<uint64_t>(x, DType::u64), (std::vector<uint64_t>{1, 0, 300, 0, UINT64_MAX, 0, 0, 0}));
  EXPECT_EQ(convert<uint8_t>(x, DType::boolean), (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 1, 1}));
  const HostTensor d = tensor<double>(DType::f64, {3}, {2147483647.0, 2147483648.0, -2147483649.0});
  EXPECT_EQ(convert<int32_t>(d, DType::i32), (std::vector<int32_t>{INT32_MAX, INT32_MAX, INT32_MIN}));
}

TEST(Values, IntegersConvertByWrapping) {
  const HostTensor x = tensor<int64_t>(DType::i64, {4}, {-1, 300, INT64_MIN, 1});
  EXPECT_EQ(convert<uint8_t>(x, DType::u8), (std::vector<uint8_t>{255, 44, 0, 1}));
  EXPECT_EQ(convert<int16_t>(x, DType::i16), (std::vector<int16_t>{-1, 300, 0, 1}));
  EXPECT_EQ(convert<uint8_t>(x, DType::boolean), (std::vector<uint8_t>{1, 1, 1, 1}));
  EXPECT_EQ(convert<float>(x, DType::f32), (std::vector<float>{-1, 300, -0x1p63f, 1}));
  EXPECT_EQ(convert<uint16_t>(x, DType::f16)[1], 0x5cb0);
}

TEST(Values, IntegerArithmeticWrapsAndDividesTotally) {
  using V = std::vector<int32_t>;
  const V a = {7, -7, INT32_MIN, 5, INT32_MAX}, b = {2, 2, -1, 0, 2};
  const auto run = [&](BinaryOp op) { return apply<int32_t>(op, DType::i32, DType::i32, a, b); };
  EXPECT_EQ(run(BinaryOp::div), (V{3, -3, INT32_MIN, 0, INT32_MAX / 2}));
  EXPECT_EQ(run(BinaryOp::mod_trunc), (V{1, -1, 0, 0, 1}));
  EXPECT_EQ(run(BinaryOp::mod_floor), (V{1, 1, 0, 0, 1}));
  EXPECT_EQ(run(BinaryOp::mul), (V{14, -14, INT32_MIN, 0, -2}));
  EXPECT_EQ(run(BinaryOp::sub), (V{5, -9, INT32_MIN + 1, 5, INT32_MAX - 2}));
  EXPECT_EQ((apply<int32_t>(UnaryOp::abs, DType::i32, {-3, INT32_MIN})), (V{3, INT32_MIN}));
  EXPECT_EQ((apply<uint8_t>(BinaryOp::shr, DType::u8, DType::u8, {200, 200, 200}, {1, 8, 255})),
            (std::vector<uint8_t>{100, 0, 0}));
  EXPECT_EQ((apply<int8_t>(BinaryOp::shr, DType::i8, DType::i8, {-100, -100}, {1, 9})), (std::vector<int8_t>{-50, -1}));
  EXPECT_EQ((apply<uint64_t, uint8_t>(BinaryOp::lt, DType::u64, DType::boolean, {1, UINT64_MAX}, {UINT64_MAX, 1})),
            (std::vector<uint8_t>{1, 0}));
}

TEST(Values, FloatArithmeticIsIeee) {
  using V = std::vector<float>;
  const float inf = INFINITY;
  const auto run = [&](BinaryOp op, V a, V b) { return apply<float>(op, DType::f32, DType::f32, a, b); };
  EXPECT_EQ(run(BinaryOp::div, {1, -1}, {0, 0}), (V{inf, -inf}));
  EXPECT_EQ(run(BinaryOp::mod_floor, {-7, 7, 6}, {3, -3, 3}), (V{2, -2, 0}));
  EXPECT_EQ(run(BinaryOp::mod_trunc, {-7, 7, 5.5}, {3, -3, 2}), (V{-1, 1, 1.5}));
  for (const BinaryOp op : {BinaryOp::min, BinaryOp::max}) {
    EXPECT_TRUE(std::isnan(run(op, {NAN}, {1})[0]));
    EXPECT_TRUE(std::isnan(run(op, {1}, {NAN})[0]));
    EXPECT_EQ(std::signbit(run(op, {0.0f}, {-0.0f})[0]), op == BinaryOp::min);
    EXPECT_EQ(std::signbit(run(op, {-0.0f}, {0.0f})[0]), op == BinaryOp::min);
  }
  EXPECT_EQ((apply<float>(UnaryOp::round, DType::f32, {0.5f, 1.5f, 2.5f, -0.5f})), (V{0, 2, 2, 0}));
  EXPECT_EQ((apply<float>(UnaryOp::sign, DType::f32, {-3, 0, 2})), (V{-1, 0, 1}));
  EXPECT_TRUE(std::isnan(apply<float>(UnaryOp::sign, DType::f32, {NAN})[0]));
  EXPECT_EQ((apply<float, uint8_t>(BinaryOp::ne, DType::f32, DType::boolean, {NAN, 1}, {NAN, 1})),
            (std::vector<uint8_t>{1, 0}));
}

TEST(Values, TranscendentalsAreRoundedOnce) {
  const std::vector<float> x = noise(1500, 11);
  const auto y = apply<float>(UnaryOp::exp, DType::f32, x);
  const auto t = apply<float>(UnaryOp::tanh, DType::f32, x);
  for (size_t i = 0; i < x.size(); i++) {
    ASSERT_EQ(y[i], static_cast<float>(std::exp(static_cast<double>(x[i]))));
    ASSERT_EQ(t[i], static_cast<float>(std::tanh(static_cast<double>(x[i]))));
  }
  EXPECT_EQ(apply<float>(UnaryOp::exp_flushed, DType::f32, {-INFINITY, -100, -87.33655f, 0, 3}),
            (std::vector<float>{0, 0, 0, 1, 1}));
  EXPECT_GE(apply<float>(UnaryOp::exp_flushed, DType::f32, {-87.33654f})[0], std::numeric_limits<float>::min());
  EXPECT_TRUE(std::isnan(apply<float>(UnaryOp::exp_flushed, DType::f32, {NAN})[0]));
  EXPECT_EQ(apply<float>(UnaryOp::sigmoid, DType::f32, {-INFINITY, 0, 100}), (std::vector<float>{0, 0.5f, 1}));
}

TEST(Values, HalfTensorsAreComputedInFloat) {
  const HostTensor x = tensor<uint16_t>(DType::f16, {1}, {0x7bff});  // 65504
  const auto doubled_and_halved = [](ExprArena& e, Expr v) {
    return e.binary(BinaryOp::mul, e.binary(BinaryOp::add, v, v), e.constant(DType::f32, 0.5));
  };
  EXPECT_EQ(map_values(x, DType::f16, doubled_and_halved).as<uint16_t>()[0], 0x7bff);
}

TEST(Values, BooleansAreZeroOrOne) {
  const HostTensor x = tensor<uint8_t>(DType::boolean, {3}, {0, 1, 7});
  const auto negate = [](ExprArena& e, Expr v) { return e.unary(UnaryOp::logical_not, v); };
  EXPECT_EQ(values_of<uint8_t>(map_values(x, DType::boolean, negate)), (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(convert<int64_t>(x, DType::i64), (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ((apply<uint8_t>(BinaryOp::bit_xor, DType::boolean, DType::boolean, {0, 1, 1}, {1, 1, 0})),
            (std::vector<uint8_t>{1, 0, 1}));
}

}  // namespace
}  // namespace cppgen::ir
