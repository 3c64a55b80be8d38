// Quantized operators of com.microsoft against plain C++.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

NodeCase microsoft(const char* op, std::map<std::string, Attribute> attributes, std::vector<HostTensor> inputs) {
  NodeCase c{op, 1, std::move(attributes), std::move(inputs)};
  c.domain = "com.microsoft";
  return c;
}

template <class T>
HostTensor bytes(Dims dims, int step, int start = 0) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  std::vector<T> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(T(start + i * step));
  return tensor<T>(std::move(dims), values);
}

HostTensor scale(float v) { return tensor<float>({}, {v}); }
HostTensor u8(int v) { return tensor<uint8_t>({}, {uint8_t(v)}); }

uint8_t quantized(double x, double scale, int zero) {
  return uint8_t(std::min(std::max(std::nearbyint(x / scale) + zero, 0.0), 255.0));
}

// Results may differ by one where a half is rounded after float32 arithmetic.
void expect_quanta(const HostTensor& y, const Dims& dims, const std::vector<uint8_t>& expected) {
  ASSERT_EQ(y.dims, dims);
  ASSERT_EQ(y.type, DType::u8);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(y.as<uint8_t>()[i], expected[i], 1) << "element " << i;
}

TEST(QLinear, AddAndMulBroadcast) {
  HostTensor a = bytes<uint8_t>({3, 5}, 17), b = bytes<uint8_t>({5}, 29, 3);
  for (const char* op : {"QLinearAdd", "QLinearMul"}) {
    std::vector<uint8_t> expected;
    for (int i = 0; i < 15; ++i) {
      double x = 0.1 * (a.as<uint8_t>()[i] - 100), y = 0.05 * (b.as<uint8_t>()[i % 5] - 7);
      expected.push_back(quantized(op[7] == 'A' ? x + y : x * y, 0.15, 90));
    }
    expect_quanta(run(microsoft(op, {}, {a, scale(0.1f), u8(100), b, scale(0.05f), u8(7), scale(0.15f), u8(90)}))[0],
                  {3, 5}, expected);
  }
}

TEST(QLinear, SigmoidLeakyReluAndSoftmax) {
  HostTensor x = bytes<uint8_t>({4, 6}, 11, 5);
  auto value = [&](int i) { return 0.05 * (x.as<uint8_t>()[i] - 128); };
  std::vector<uint8_t> sigmoids, rectified, softmax;
  for (int i = 0; i < 24; ++i) {
    sigmoids.push_back(quantized(1 / (1 + std::exp(-value(i))), 1 / 256.0, 0));
    rectified.push_back(quantized(value(i) < 0 ? 0.3f * value(i) : value(i), 0.04, 40));
    double sum = 0;
    for (int k = 0; k < 6; ++k) sum += std::exp(value(i / 6 * 6 + k));
    softmax.push_back(quantized(std::exp(value(i)) / sum, 1 / 256.0, 0));
  }
  auto run_on = [&](const char* op, std::map<std::string, Attribute> a, float s, int z) {
    return run(microsoft(op, std::move(a), {x, scale(0.05f), u8(128), scale(s), u8(z)}))[0];
  };
  expect_quanta(run_on("QLinearSigmoid", {}, 1 / 256.0f, 0), {4, 6}, sigmoids);
  expect_quanta(run_on("QLinearLeakyRelu", {{"alpha", 0.3f}}, 0.04f, 40), {4, 6}, rectified);
  expect_quanta(run_on("QLinearSoftmax", {{"opset", integer(13)}}, 1 / 256.0f, 0), {4, 6}, softmax);
}

// 1 / 0.006 is 166.7, of which it takes 166, so a chance of 1 is 166 and not 167.
TEST(QLinear, SoftmaxTakesWholeSteps) {
  const HostTensor x = tensor<uint8_t>({1, 3}, {255, 0, 0});
  const auto y =
      run(microsoft("QLinearSoftmax", {{"opset", integer(13)}}, {x, scale(0.5f), u8(0), scale(0.006f), u8(2)}))[0];
  EXPECT_EQ(y.as<uint8_t>()[0], 168);
  EXPECT_EQ(y.as<uint8_t>()[1], 2);
}

TEST(QLinear, AveragePools) {
  HostTensor x = bytes<uint8_t>({1, 2, 3, 4}, 23);
  auto value = [&](int ch, int y, int z) { return 0.5 * (x.as<uint8_t>()[(ch * 3 + y) * 4 + z] - 9); };
  std::vector<uint8_t> all, windows;
  for (int ch = 0; ch < 2; ++ch) {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += value(ch, i / 4, i % 4);
    all.push_back(quantized(sum / 12, 0.6, 3));
    for (int y = 0; y < 4; ++y)
      for (int z = 0; z < 5; ++z) {
        double part = 0;
        for (int k = 0; k < 4; ++k) {
          int r = y - 1 + k / 2, s = z - 1 + k % 2;
          if (r >= 0 && r < 3 && s >= 0 && s < 4) part += value(ch, r, s);
        }
        windows.push_back(quantized(part / 4, 0.6, 3));
      }
  }
  std::vector<HostTensor> inputs = {x, scale(0.5f), u8(9), scale(0.6f), u8(3)};
  expect_quanta(run(microsoft("QLinearGlobalAveragePool", {}, inputs))[0], {1, 2, 1, 1}, all);
  std::map<std::string, Attribute> a = {
      {"kernel_shape", ints({2, 2})}, {"pads", ints({1, 1, 1, 1})}, {"count_include_pad", integer(1)}};
  expect_quanta(run(microsoft("QLinearAveragePool", a, inputs))[0], {1, 2, 4, 5}, windows);
  HostTensor last = bytes<uint8_t>({1, 2, 2, 3}, 20);  // channel k has k * 20 + {0, 60, 120, 180}
  inputs[0] = last;
  expect_quanta(
      run(microsoft("QLinearGlobalAveragePool", {{"channels_last", integer(1)}}, inputs))[0], {1, 1, 1, 3},
      {quantized(0.5 * (90 - 9), 0.6, 3), quantized(0.5 * (110 - 9), 0.6, 3), quantized(0.5 * (130 - 9), 0.6, 3)});
}

TEST(QLinear, ConcatRequantizesItsParts) {
  HostTensor a = bytes<uint8_t>({2, 2}, 40), b = bytes<uint8_t>({2, 1}, 90, 10);
  NodeCase c = microsoft("QLinearConcat", {{"axis", integer(1)}},
                         {scale(0.2f), u8(5), a, scale(0.1f), u8(0), b, scale(0.3f), u8(20)});
  std::vector<uint8_t> expected;
  for (int r = 0; r < 2; ++r) {
    for (int k = 0; k < 2; ++k) expected.push_back(quantized(0.1 * a.as<uint8_t>()[r * 2 + k], 0.2, 5));
    expected.push_back(quantized(0.3 * (b.as<uint8_t>()[r] - 20), 0.2, 5));
  }
  expect_quanta(run(c)[0], {2, 3}, expected);
}

// --- Products: a [3, 4] x b [4, 5] with a scale and zero point for each column of b

const Dims kLeft{3, 4}, kRight{4, 5};
const HostTensor kScales = tensor<float>({5}, {0.1f, 0.2f, 0.3f, 0.4f, 0.5f});
const HostTensor kZeros = tensor<int8_t>({5}, {0, 3, -5, 1, 2});
const HostTensor kBias = tensor<float>({5}, {1, -2, 3, -4, 5});

double product(const std::function<double(int, int)>& a, const HostTensor& b, int i, int j) {
  double sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += a(i, k) * kScales.as<float>()[j] * (b.as<int8_t>()[k * 5 + j] - kZeros.as<int8_t>()[j]);
  return sum;
}

TEST(IntegerProducts, MatMulIntegerToFloatAndDynamicQuantizeMatMul) {
  HostTensor a = bytes<uint8_t>(kLeft, 19, 7), b = bytes<int8_t>(kRight, 13, -100), x = ramp(kLeft);
  for (bool constant : {false, true}) {
    NodeCase bytes_case = microsoft("MatMulIntegerToFloat", {}, {a, b, scale(0.25f), kScales, u8(11), kZeros, kBias});
    NodeCase floats = microsoft("DynamicQuantizeMatMul", {}, {x, b, kScales, kZeros, kBias});
    bytes_case.constant = {false, constant, false, false, constant, constant};
    floats.constant = {false, constant, false, constant};
    HostTensor y = run(bytes_case)[0], z = run(floats)[0];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) {
        auto left = [&](int r, int k) { return 0.25 * (a.as<uint8_t>()[r * 4 + k] - 11); };
        EXPECT_NEAR(y.as<float>()[i * 5 + j], product(left, b, i, j) + kBias.as<float>()[j], 1e-2);
        // The left operand in 255 steps over [-2, 2].
        auto rounded = [&](int r, int k) { return std::nearbyint(x.as<float>()[r * 4 + k] / (4 / 255.0)) * 4 / 255.0; };
        EXPECT_NEAR(z.as<float>()[i * 5 + j], product(rounded, b, i, j) + kBias.as<float>()[j], 2.0);
      }
  }
}

TEST(IntegerProducts, QGemmWithTransposedOperands) {
  HostTensor b = bytes<int8_t>({5, 4}, 13, -100), bias = tensor<int32_t>({5}, {100, -200, 300, -400, 500});
  HostTensor plain = bytes<uint8_t>({3, 4}, 19, 7), turned = bytes<uint8_t>({4, 3}, 19, 7);
  for (bool constant : {false, true})
    for (int trans : {0, 1}) {
      const HostTensor& a = trans ? turned : plain;
      std::vector<double> expected;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 5; ++j) {
          double sum = bias.as<int32_t>()[j];
          for (int k = 0; k < 4; ++k)
            sum += (a.as<uint8_t>()[trans ? k * 3 + i : i * 4 + k] - 11) *
                   (b.as<int8_t>()[j * 4 + k] - kZeros.as<int8_t>()[j]);
          expected.push_back(0.5 * 0.25 * kScales.as<float>()[j] * sum);
        }
      NodeCase c = microsoft("QGemm", {{"alpha", 0.5f}, {"transA", integer(trans)}, {"transB", integer(1)}},
                             {a, scale(0.25f), u8(11), b, kScales, kZeros, bias});
      c.constant = {false, false, false, constant, false, constant};
      HostTensor y = run(c)[0];
      ASSERT_EQ(y.dims, (Dims{3, 5}));
      for (int i = 0; i < 15; ++i) EXPECT_NEAR(y.as<float>()[i], expected[size_t(i)], 1e-2);
      c.inputs.insert(c.inputs.end(), {scale(20), u8(128)});
      std::vector<uint8_t> quanta;
      for (double v : expected) quanta.push_back(quantized(v, 20, 128));
      expect_quanta(run(c)[0], {3, 5}, quanta);
    }
}

TEST(Quantize, MicrosoftsFormsHaveScalesForAxes) {
  HostTensor x = ramp({2, 3}), scales = tensor<float>({2}, {0.5f, 0.25f}), zeros = tensor<int8_t>({2}, {1, -1});
  HostTensor q = run(microsoft("QuantizeLinear", {{"axis", integer(0)}}, {x, scales, zeros}))[0];
  HostTensor y = run(microsoft("DequantizeLinear", {{"axis", integer(0)}}, {q, scales, zeros}))[0];
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(y.as<float>()[i], x.as<float>()[i], i < 3 ? 0.25 : 0.125);
}

}  // namespace
}  // namespace cppgen::ops_test
