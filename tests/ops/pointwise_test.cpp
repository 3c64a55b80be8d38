// Operators of one element against <cmath> and C++'s own arithmetic.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

const std::vector<float> kSamples = {-3, -1.5f, -0.75f, -0.0f, 0, 0.25f, 0.5f, 1, 2.5f, 7};

struct UnaryRow {
  const char* op;
  double (*reference)(double);
  std::map<std::string, Attribute> attributes = {};
  int opset = 22;
};

const UnaryRow kUnary[] = {
    {"Abs", [](double x) { return std::abs(x); }},
    {"Neg", [](double x) { return -x; }},
    {"Sign", [](double x) { return double((x > 0) - (x < 0)); }},
    {"Floor", [](double x) { return std::floor(x); }},
    {"Ceil", [](double x) { return std::ceil(x); }},
    {"Round", [](double x) { return std::nearbyint(x); }},
    {"Exp", [](double x) { return std::exp(x); }},
    {"Erf", [](double x) { return std::erf(x); }},
    {"Tanh", [](double x) { return std::tanh(x); }},
    {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"Sin", [](double x) { return std::sin(x); }},
    {"Sinh", [](double x) { return std::sinh(x); }},
    {"Atan", [](double x) { return std::atan(x); }},
    {"Asinh", [](double x) { return std::asinh(x); }},
    {"Reciprocal", [](double x) { return 1 / x; }},
    {"Identity", [](double x) { return x; }},
    {"Relu", [](double x) { return x > 0 ? x : 0; }},
    {"LeakyRelu", [](double x) { return x < 0 ? 0.1f * x : x; }, {{"alpha", 0.1f}}},
    {"Elu", [](double x) { return x < 0 ? 2 * (std::exp(x) - 1) : x; }, {{"alpha", 2.0f}}},
    {"Selu",
     [](double x) { return 1.05070102214813232421875 * (x > 0 ? x : 1.67326319217681884765625 * (std::exp(x) - 1)); }},
    {"Celu", [](double x) { return std::max(0.0, x) + std::min(0.0, 2 * (std::exp(x / 2) - 1)); }, {{"alpha", 2.0f}}},
    {"HardSigmoid", [](double x) { return std::max(0.0, std::min(1.0, 0.2f * x + 0.5)); }},
    {"HardSwish", [](double x) { return x * std::max(0.0, std::min(1.0, x / 6 + 0.5)); }},
    {"Softplus", [](double x) { return std::log1p(std::exp(x)); }},
    {"Softsign", [](double x) { return x / (1 + std::abs(x)); }},
    {"ThresholdedRelu", [](double x) { return x > 0.5 ? x : 0; }, {{"alpha", 0.5f}}},
    {"Shrink", [](double x) { return x < -1  ? x + 0.5
                                     : x > 1 ? x - 0.5
                                             : 0; }, {{"lambd", 1.0f}, {"bias", 0.5f}}},
    {"Mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {"Gelu", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
    {"Gelu",
     [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); },
     {{"approximate", std::string("tanh")}}},
    {"Clip", [](double x) { return std::min(std::max(x, -1.0), 2.0); }, {{"min", -1.0f}, {"max", 2.0f}}, 6},
};

TEST(Unary, FollowsTheReferenceInFloatAndDouble) {
  for (const UnaryRow& row : kUnary) {
    SCOPED_TRACE(row.op);
    std::vector<float> y =
        values_of<float>(run({row.op, row.opset, row.attributes, {tensor<float>({2, 5}, kSamples)}})[0]);
    std::vector<double> samples(kSamples.begin(), kSamples.end());
    std::vector<double> z =
        values_of<double>(run({row.op, row.opset, row.attributes, {tensor<double>({10}, samples)}})[0]);
    for (size_t i = 0; i < kSamples.size(); ++i) {
      double expected = row.reference(kSamples[i]);
      if (std::isinf(expected)) {
        EXPECT_EQ(y[i], expected) << kSamples[i];
        continue;
      }
      EXPECT_NEAR(y[i], expected, 1e-6 * (1 + std::abs(expected))) << kSamples[i];
      EXPECT_NEAR(z[i], expected, 1e-7 * (1 + std::abs(expected))) << kSamples[i];
    }
  }
}

TEST(Unary, Float16IsComputedInFloat32AndRoundedOnce) {
  // 1 + 2^-10 in float16; its exponential 2.7209... lies between 2.71875 (0x4170) and 2.720703125 (0x4171).
  HostTensor x{DType::f16, {1}, {std::byte{0x01}, std::byte{0x3c}}};
  HostTensor y = run({"Exp", 13, {}, {x}})[0];
  EXPECT_EQ(y.type, DType::f16);
  EXPECT_EQ(y.as<uint16_t>()[0], 0x4171);
}

template <class T>
void expect_binary(const char* op, std::vector<T> a, std::vector<T> b, std::vector<T> expected,
                   std::map<std::string, Attribute> attributes = {}, int opset = 18) {
  SCOPED_TRACE(op);
  int64_t n = int64_t(a.size());
  auto y = run({op, opset, std::move(attributes), {tensor<T>({n}, a), tensor<T>({n}, b)}});
  EXPECT_EQ(values_of<T>(y[0]), expected);
}

TEST(Binary, IntegersWrapAndDivideTowardZero) {
  expect_binary<int8_t>("Add", {127, -128}, {1, -1}, {-128, 127});
  expect_binary<int32_t>("Div", {7, -7, 7}, {2, 2, -2}, {3, -3, -3});
  expect_binary<int32_t>("Mod", {7, -7, 7, -7}, {3, 3, -3, -3}, {1, 2, -2, -1});
  expect_binary<int32_t>("Mod", {7, -7, 7, -7}, {3, 3, -3, -3}, {1, -1, 1, -1}, {{"fmod", integer(1)}});
  expect_binary<float>("Mod", {5.5f, -5.5f}, {2, 2}, {1.5f, -1.5f}, {{"fmod", integer(1)}});
  expect_binary<uint8_t>("BitShift", {1, 129}, {3, 9}, {8, 0}, {{"direction", std::string("LEFT")}});
}

// Right shifts of signed integers keep the sign. Amounts outside 0 .. width - 1 shift everything out.
template <class T>
void expect_shifts() {
  const int bits = 8 * int(sizeof(T));
  const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const T past = T(bits), last = T(bits - 1);
  expect_binary<T>("BitShift", {-8, -7, 7, -1, -5, 5, -5, 5, least}, {1, 1, 1, 3, past, past, -1, -1, last},
                   {-4, -4, 3, -1, -1, 0, -1, 0, -1}, {{"direction", std::string("RIGHT")}}, 28);
  expect_binary<T>("BitShift", {1, -3, most, 1, 5, -5, 5, -5}, {3, 1, 1, last, past, past, -1, -1},
                   {8, -6, -2, least, 0, 0, 0, 0}, {{"direction", std::string("LEFT")}}, 28);
}

TEST(Binary, ShiftsOfSignedIntegers) {
  expect_shifts<int8_t>();
  expect_shifts<int16_t>();
  expect_shifts<int32_t>();
  expect_shifts<int64_t>();
  const auto one = tensor<int8_t>({1}, {1});
  const NodeCase before{"BitShift", 27, {{"direction", std::string("LEFT")}}, {one, one}};
  EXPECT_THROW(run(before), UserError) << "opset 11 takes unsigned integers";
}

TEST(Binary, BroadcastsFromTheRight) {
  auto y = run({"Sub", 14, {}, {tensor<float>({2, 1, 2}, {1, 2, 3, 4}), tensor<float>({3, 1}, {10, 20, 30})}});
  EXPECT_EQ(y[0].dims, (std::vector<int64_t>{2, 3, 2}));
  EXPECT_EQ(values_of<float>(y[0]), (std::vector<float>{-9, -8, -19, -18, -29, -28, -7, -6, -17, -16, -27, -26}));
}

TEST(Binary, BeforeVersion7AnAxisSaysWhereTheSecondOperandLies) {
  NodeCase c{"Add",
             6,
             {{"broadcast", integer(1)}, {"axis", integer(0)}},
             {tensor<float>({2, 2}, {1, 2, 3, 4}), tensor<float>({2}, {10, 20})}};
  EXPECT_EQ(values_of<float>(run(c)[0]), (std::vector<float>{11, 12, 23, 24}));
}

TEST(Binary, PowersTakeTheBaseType) {
  auto y = run({"Pow", 15, {}, {tensor<int32_t>({3}, {2, 3, -2}), tensor<float>({3}, {3, 2, 3})}});
  EXPECT_EQ(values_of<int32_t>(y[0]), (std::vector<int32_t>{8, 9, -8}));
  NodeCase square{"Pow", 15, {}, {tensor<float>({2}, {3, -4}), tensor<float>({}, {2})}, {false, true}};
  EXPECT_EQ(values_of<float>(run(square)[0]), (std::vector<float>{9, 16}));
}

TEST(Binary, PowersOfConstantExponentsAreThoseOfOthers) {
  const std::vector<float> bases = {0, -0.0f, 1, 2.5f, 9, 1e-20f, INFINITY, -INFINITY, -4, NAN};
  const std::vector<int64_t> shape = {int64_t(bases.size())};
  for (const float e : {0.25f, 0.5f, 0.75f, 1.5f, 2.25f, -0.5f, -1.0f, -2.75f, 0.0f}) {
    const auto powers = values_of<float>(
        run({"Pow", 15, {}, {tensor<float>(shape, bases), tensor<float>({1}, {e})}, {false, true}})[0]);
    for (size_t i = 0; i < bases.size(); i++) {
      const float expected = std::pow(bases[i], e);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(powers[i])) << bases[i] << " ^ " << e;
      else
        EXPECT_FLOAT_EQ(powers[i], expected) << bases[i] << " ^ " << e;
    }
  }
}

TEST(Logic, ComparesAndSelects) {
  auto less = run({"Less", 13, {}, {tensor<int64_t>({3}, {1, 2, 3}), tensor<int64_t>({}, {2})}});
  EXPECT_EQ(values_of<bool>(less[0]), (std::vector<bool>{true, false, false}));
  auto chosen = run({"Where", 16, {}, {less[0], tensor<float>({3}, {1, 2, 3}), tensor<float>({1}, {9})}});
  EXPECT_EQ(values_of<float>(chosen[0]), (std::vector<float>{1, 9, 9}));
  float inf = INFINITY;
  auto infinite = run({"IsInf", 10, {{"detect_negative", integer(0)}}, {tensor<float>({4}, {inf, -inf, NAN, 1})}});
  EXPECT_EQ(values_of<bool>(infinite[0]), (std::vector<bool>{true, false, false, false}));
}

TEST(Cast, SaturatesFloatsAndWrapsIntegers) {
  auto bytes = run({"Cast", 13, {{"to", integer(3)}}, {tensor<float>({4}, {-1.9f, 300, NAN, 127})}});
  EXPECT_EQ(values_of<int8_t>(bytes[0]), (std::vector<int8_t>{-1, 127, 0, 127}));
  auto wrapped = run({"Cast", 13, {{"to", integer(2)}}, {tensor<int32_t>({2}, {257, -1})}});
  EXPECT_EQ(values_of<uint8_t>(wrapped[0]), (std::vector<uint8_t>{1, 255}));
}

TEST(Quantize, RoundsToEvenAndSaturates) {
  NodeCase c{"QuantizeLinear",
             13,
             {},
             {tensor<float>({6}, {0, 2, 3, 1000, -254, -1000}), tensor<float>({}, {2}), tensor<uint8_t>({}, {128})}};
  EXPECT_EQ(values_of<uint8_t>(run(c)[0]), (std::vector<uint8_t>{128, 129, 130, 255, 1, 0}));
  NodeCase d{"DequantizeLinear",
             13,
             {{"axis", integer(0)}},
             {tensor<int8_t>({2, 2}, {1, -128, 3, 4}), tensor<float>({2}, {0.5f, 2}), tensor<int8_t>({2}, {1, 127})}};
  EXPECT_EQ(values_of<float>(run(d)[0]), (std::vector<float>{0, -64.5f, -248, -246}));
}

}  // namespace
}  // namespace cppgen::ops_test
