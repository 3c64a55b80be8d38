// Operators of com.microsoft that graph optimisers leave in files, against plain C++.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;
constexpr const char* kMicrosoft = "com.microsoft";

NodeCase microsoft(const char* op, std::map<std::string, Attribute> attributes, std::vector<HostTensor> inputs,
                   int outputs = 1) {
  NodeCase c{op, 1, std::move(attributes), std::move(inputs)};
  c.outputs = outputs;
  c.domain = kMicrosoft;
  return c;
}

void expect_near(const HostTensor& actual, const Dims& dims, const std::vector<double>& expected, double error = 2e-5) {
  ASSERT_EQ(actual.dims, dims);
  ASSERT_EQ(int64_t(expected.size()), actual.elements());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual.as<float>()[i], expected[i], error * std::max(1.0, std::abs(expected[i]))) << "element " << i;
}

double at(const HostTensor& t, int64_t i) { return t.as<float>()[i]; }

double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double fast_gelu(double x) { return 0.5 * x * (1 + std::tanh(0.797885 * x + 0.035677 * x * x * x)); }

TEST(FusedPointwise, FormsOfGelu) {
  HostTensor x = ramp({3, 5}), bias = ramp({5}, 7, 0.5);
  struct Row {
    const char* op;
    bool biased;
    std::function<double(double)> reference;
  };
  for (const Row& r : {Row{"Gelu", false, gelu}, Row{"BiasGelu", true, gelu}, Row{"FastGelu", false, fast_gelu},
                       Row{"FastGelu", true, fast_gelu},
                       Row{"QuickGelu", false, [](double v) { return v / (1 + std::exp(-1.702 * v)); }}}) {
    std::vector<double> expected;
    for (int i = 0; i < 15; ++i) expected.push_back(r.reference(at(x, i) + (r.biased ? at(bias, i % 5) : 0)));
    std::vector<HostTensor> inputs = {x};
    if (r.biased) inputs.push_back(bias);
    expect_near(run(microsoft(r.op, {}, inputs))[0], {3, 5}, expected);
  }
}

TEST(FusedPointwise, BiasSoftmax) {
  HostTensor x = ramp({2, 3, 4}), bias = ramp({2, 1, 4}, 5, 0.5);
  std::vector<double> expected;
  for (int row = 0; row < 6; ++row) {
    double sum = 0, e[4];
    for (int k = 0; k < 4; ++k) sum += e[k] = std::exp(at(x, row * 4 + k) + at(bias, row / 3 * 4 + k));
    for (double v : e) expected.push_back(v / sum);
  }
  std::map<std::string, Attribute> a = {{"axis", integer(2)}, {"is_inner_broadcast", integer(1)}};
  expect_near(run(microsoft("BiasSoftmax", a, {x, bias}))[0], {2, 3, 4}, expected);
}

// a [batch, m, k] read through strides, so that every layout has the same reference.
struct Strided {
  HostTensor t;
  int64_t batch, row, column;
  double operator()(int64_t b, int64_t i, int64_t j) const { return at(t, b * batch + i * row + j * column); }
};

TEST(FusedMatMul, TransposesOperandsAndBatches) {
  const Strided lefts[] = {
      {ramp({2, 3, 4}), 12, 4, 1}, {ramp({2, 4, 3}), 12, 1, 3}, {ramp({3, 2, 4}), 4, 8, 1}, {ramp({4, 2, 3}), 3, 1, 6}};
  const Strided rights[] = {{ramp({2, 4, 5}, 13), 20, 5, 1},
                            {ramp({2, 5, 4}, 13), 20, 1, 4},
                            {ramp({4, 2, 5}, 13), 5, 10, 1},
                            {ramp({5, 2, 4}, 13), 4, 1, 8}};
  for (int l = 0; l < 4; ++l)
    for (int r = 0; r < 4; ++r) {
      std::vector<double> expected;
      for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 5; ++j) {
            double sum = 0;
            for (int k = 0; k < 4; ++k) sum += lefts[l](b, i, k) * rights[r](b, k, j);
            expected.push_back(0.5 * sum);
          }
      std::map<std::string, Attribute> a = {{"alpha", 0.5f},
                                            {"transA", integer(l & 1)},
                                            {"transBatchA", integer(l >> 1)},
                                            {"transB", integer(r & 1)},
                                            {"transBatchB", integer(r >> 1)}};
      SCOPED_TRACE("operands " + std::to_string(l) + ", " + std::to_string(r));
      expect_near(run(microsoft("FusedMatMul", a, {lefts[l].t, rights[r].t}))[0], {2, 3, 5}, expected);
    }
}

TEST(FusedProducts, GemmAndConvWithActivations) {
  HostTensor a = ramp({2, 3}), b = ramp({3, 2}, 11), c = ramp({2}, 5);
  std::vector<double> expected;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += at(a, i * 3 + k) * at(b, k * 2 + j);
      double y = 2 * sum + at(c, j);
      expected.push_back(y < 0 ? 0.3f * y : y);
    }
  std::map<std::string, Attribute> gemm = {
      {"alpha", 2.0f}, {"activation", std::string("LeakyRelu")}, {"activation_alpha", 0.3f}};
  expect_near(run(microsoft("FusedGemm", gemm, {a, b, c}))[0], {2, 2}, expected);

  HostTensor x = ramp({1, 2, 4}), w = ramp({3, 2, 2}, 7), bias = ramp({3}, 5), add = ramp({1, 3, 3}, 9);
  expected.clear();
  for (int m = 0; m < 3; ++m)
    for (int o = 0; o < 3; ++o) {
      double sum = at(bias, m) + at(add, m * 3 + o);
      for (int ch = 0; ch < 2; ++ch)
        for (int k = 0; k < 2; ++k) sum += at(x, ch * 4 + o + k) * at(w, (m * 2 + ch) * 2 + k);
      expected.push_back(std::min(std::max(sum, -0.5), 1.5));
    }
  std::map<std::string, Attribute> conv = {{"activation", std::string("Clip")},
                                           {"activation_params", std::vector<float>{-0.5f, 1.5f}}};
  expect_near(run(microsoft("FusedConv", conv, {x, w, bias, add}))[0], {1, 3, 3}, expected);
  conv["activation"] = std::string("Sine");
  EXPECT_NE(error_of(microsoft("FusedConv", conv, {x, w})).find("attribute 'activation' is 'Sine'"), std::string::npos);
}

// Rows of `width`: (x - mean) / deviation x gamma + beta, or x / root mean square x gamma.
std::vector<double> normalized_rows(const std::vector<double>& x, int width, const HostTensor& gamma,
                                    const HostTensor* beta, bool simplified, double epsilon) {
  std::vector<double> out;
  for (size_t row = 0; row < x.size(); row += size_t(width)) {
    double mean = 0, square = 0;
    for (int k = 0; k < width && !simplified; ++k) mean += x[row + size_t(k)] / width;
    for (int k = 0; k < width; ++k) square += std::pow(x[row + size_t(k)] - mean, 2) / width;
    for (int k = 0; k < width; ++k)
      out.push_back((x[row + size_t(k)] - mean) / std::sqrt(square + epsilon) * at(gamma, k) +
                    (beta ? at(*beta, k) : 0));
  }
  return out;
}

TEST(SkipNormalization, NormalisesTheSum) {
  HostTensor x = ramp({2, 3, 4}), skip = ramp({1, 3, 4}, 11), gamma = ramp({4}, 5), beta = ramp({4}, 7),
             bias = ramp({4}, 3);
  std::vector<double> sum;
  for (int i = 0; i < 24; ++i) sum.push_back(at(x, i) + at(skip, i % 12) + at(bias, i % 4));
  std::map<std::string, Attribute> a = {{"epsilon", 1e-3f}};
  auto full = run(microsoft("SkipLayerNormalization", a, {x, skip, gamma, beta, bias}, 4));
  expect_near(full[0], {2, 3, 4}, normalized_rows(sum, 4, gamma, &beta, false, 1e-3f));
  expect_near(full[3], {2, 3, 4}, sum);
  EXPECT_EQ(full[1].dims, (Dims{2, 3, 1}));
  EXPECT_NEAR(at(full[1], 0), (sum[0] + sum[1] + sum[2] + sum[3]) / 4, 1e-6);
  auto simple = run(microsoft("SkipSimplifiedLayerNormalization", a, {x, skip, gamma, bias}));
  expect_near(simple[0], {2, 3, 4}, normalized_rows(sum, 4, gamma, nullptr, true, 1e-3f));
}

TEST(SkipNormalization, LayerNormalizationsInOnnxsDomainBeforeVersion17) {
  HostTensor x = ramp({3, 4}), gamma = ramp({4}, 5), beta = ramp({4}, 7);
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(at(x, i));
  expect_near(run({"LayerNormalization", 11, {}, {x, gamma, beta}})[0], {3, 4},
              normalized_rows(values, 4, gamma, &beta, false, 1e-5));
  expect_near(run({"SimplifiedLayerNormalization", 11, {}, {x, gamma}})[0], {3, 4},
              normalized_rows(values, 4, gamma, nullptr, true, 1e-5));
}

TEST(EmbedLayerNormalization, SumsThreeTables) {
  auto ids = [](Dims dims, std::vector<int32_t> v) { return tensor<int32_t>(std::move(dims), v); };
  HostTensor words = ids({2, 3}, {4, 0, 1, 2, 2, 3}), segments = ids({2, 3}, {0, 1, 1, 0, 0, 1}),
             mask = ids({2, 3}, {1, 1, 0, 1, 0, 0}), places = ids({1, 3}, {2, 0, 1});
  HostTensor word_table = ramp({5, 4}), place_table = ramp({3, 4}, 11), segment_table = ramp({2, 4}, 7),
             gamma = ramp({4}, 5), beta = ramp({4}, 3);
  std::vector<double> sum;
  for (int row = 0; row < 6; ++row)
    for (int k = 0; k < 4; ++k)
      sum.push_back(at(word_table, words.as<int32_t>()[row] * 4 + k) +
                    at(place_table, places.as<int32_t>()[row % 3] * 4 + k) +
                    at(segment_table, segments.as<int32_t>()[row] * 4 + k));
  NodeCase c = microsoft("EmbedLayerNormalization", {{"epsilon", 1e-3f}},
                         {words, segments, word_table, place_table, segment_table, gamma, beta, mask, places}, 3);
  auto y = run(c);
  expect_near(y[0], {2, 3, 4}, normalized_rows(sum, 4, gamma, &beta, false, 1e-3f));
  EXPECT_EQ(values_of<int32_t>(y[1]), (std::vector<int32_t>{2, 1}));
  expect_near(y[2], {2, 3, 4}, sum);
}

}  // namespace
}  // namespace cppgen::ops_test
