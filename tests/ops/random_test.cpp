// Random operators: the generator against published numbers, moments, ranges, and independence of streams.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cppgen/ops/random/random_numbers.h"
#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

// The stream itself, at positions from `first` on.
std::vector<double> uniforms(uint64_t stream, int64_t first, int64_t count) {
  Graph g = graph_of({"RandomUniform", 22, {{"shape", Dims{count}}, {"dtype", integer(11)}}});
  ops::infer_types(g);
  ir::Program p;
  p.index = g.index;
  ir::BufferId out = p.add_buffer("y", DType::f64, {count}, ir::BufferKind::output);
  p.outputs = {out};
  ops::LowerContext c(g, g.nodes[0], p, [&](ValueId) { return out; });
  ops::RandomStream stream_of(c, stream);
  c.emit_pointwise(out, [&](const auto& at) { return stream_of.uniform(at[0] + first, DType::f64); });
  return values_of<double>(ir::interpret(p, {})[0]);
}

// Known answers of Philox 2x32-10 from the Random123 library: counter words, key, output words.
TEST(Random, TheGeneratorGivesThePublishedNumbers) {
  struct Answer {
    uint32_t low, high, key, first, second;
  };
  const Answer answers[] = {{0, 0, 0, 0xff1dae59, 0x6cd10df2},
                            {0xffffffff, 0xffffffff, 0xffffffff, 0x2c3f628b, 0xab4fd7ad},
                            {0x243f6a88, 0x85a308d3, 0x13198a2e, 0xdd7ce038, 0xf62a4c12}};
  for (const Answer& a : answers) {
    uint64_t stream = uint64_t(a.high) << 32 | a.key;
    double expected = std::ldexp(double(uint64_t(a.first) << 21 | a.second >> 11), -53);
    EXPECT_EQ(uniforms(stream, int64_t(a.low), 1)[0], expected);
  }
}

struct Moments {
  double mean = 0, variance = 0, skew = 0, kurtosis = 0;
};

Moments moments_of(const std::vector<float>& x) {
  Moments m;
  for (float v : x) m.mean += v / double(x.size());
  for (float v : x) m.variance += std::pow(v - m.mean, 2) / double(x.size());
  for (float v : x) m.skew += std::pow((v - m.mean) / std::sqrt(m.variance), 3) / double(x.size());
  for (float v : x) m.kurtosis += std::pow((v - m.mean) / std::sqrt(m.variance), 4) / double(x.size());
  return m;
}

constexpr int64_t kMany = 40000;  // bounds below are at least five standard errors wide

std::vector<float> random_values(const char* op, std::map<std::string, Attribute> attributes, int64_t n = kMany) {
  attributes["shape"] = Dims{n};
  return values_of<float>(run({op, 22, attributes})[0]);
}

TEST(Random, UniformMomentsAndRange) {
  std::vector<float> x = random_values("RandomUniform", {{"low", -1.0f}, {"high", 3.0f}});
  Moments m = moments_of(x);
  EXPECT_NEAR(m.mean, 1, 0.03);
  EXPECT_NEAR(m.variance, 16.0 / 12, 0.03);
  EXPECT_NEAR(m.kurtosis, 1.8, 0.03);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), -1);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 3);
  std::vector<int> counts(64);
  for (float v : x) counts[size_t((v + 1) * 16)]++;
  double chi_square = 0, expected = double(kMany) / 64;
  for (int n : counts) chi_square += std::pow(n - expected, 2) / expected;
  EXPECT_LT(chi_square, 63 + 5 * std::sqrt(2 * 63.0));
}

TEST(Random, NormalMomentsAndDistribution) {
  std::vector<float> x = random_values("RandomNormal", {{"mean", 2.0f}, {"scale", 3.0f}});
  Moments m = moments_of(x);
  EXPECT_NEAR(m.mean, 2, 0.08);
  EXPECT_NEAR(m.variance, 9, 0.35);
  EXPECT_NEAR(m.skew, 0, 0.07);
  EXPECT_NEAR(m.kurtosis, 3, 0.13);
  // The largest distance of the distribution functions (Kolmogorov and Smirnov).
  std::sort(x.begin(), x.end());
  double distance = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double cdf = 0.5 * std::erfc(-(x[i] - 2) / 3 / std::sqrt(2.0));
    distance = std::max(distance, std::abs(cdf - double(i) / double(x.size())));
  }
  EXPECT_LT(distance, 2 / std::sqrt(double(kMany)));
}

TEST(Random, NormalsOfDoublesAreThoseOfTheirWords) {
  NodeCase c{"RandomNormal", 22, {{"shape", Dims{kMany}}, {"dtype", integer(11)}}};
  std::vector<double> x = values_of<double>(run(c)[0]);
  double mean = 0, square = 0;
  for (double v : x) mean += v / kMany, square += v * v / kMany;
  EXPECT_NEAR(mean, 0, 0.03);
  EXPECT_NEAR(square, 1, 0.04);
  std::set<double> distinct(x.begin(), x.end());
  EXPECT_EQ(distinct.size(), x.size());
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  Moments x = moments_of(a), y = moments_of(b);
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - x.mean) * (b[i] - y.mean) / double(a.size());
  return sum / std::sqrt(x.variance * y.variance);
}

TEST(Random, SeedsChooseStreamsThatAreIndependent) {
  auto of_seed = [](float seed) { return random_values("RandomNormal", {{"seed", seed}}); };
  std::vector<float> a = of_seed(1);
  EXPECT_EQ(a, of_seed(1));
  double bound = 5 / std::sqrt(double(kMany));
  EXPECT_LT(std::abs(correlation(a, of_seed(2))), bound);
  EXPECT_LT(std::abs(correlation(a, random_values("RandomNormal", {}))), bound);
  std::vector<float> shifted(a.begin() + 1, a.end());
  EXPECT_LT(std::abs(correlation({a.begin(), a.end() - 1}, shifted)), bound);
}

TEST(Random, NodesWithoutASeedHaveStreamsOfTheirOwn) {
  auto of_name = [](const char* name) {
    Graph g = graph_of({"RandomUniform", 22, {{"shape", Dims{100}}}});
    g.nodes[0].name = name;
    return values_of<float>(ir::interpret(program_of(g), {})[0]);
  };
  EXPECT_EQ(of_name("first"), of_name("first"));
  EXPECT_NE(of_name("first"), of_name("second"));
}

TEST(Random, ElementsDoNotDependOnWhatFollowsThem) {
  std::vector<float> longer = random_values("RandomUniform", {}, 300),
                     shorter = random_values("RandomUniform", {}, 100);
  longer.resize(100);
  EXPECT_EQ(longer, shorter);
}

TEST(Random, LikeTakesShapeAndTypeOfTheInput) {
  HostTensor y = run({"RandomNormalLike", 1, {}, {tensor<double>({2, 3}, {0, 0, 0, 0, 0, 0})}})[0];
  EXPECT_EQ(y.type, DType::f64);
  EXPECT_EQ(y.dims, (Dims{2, 3}));
  NodeCase ints{"RandomUniformLike", 22, {}, {tensor<int32_t>({4}, {0, 0, 0, 0})}};
  EXPECT_NE(error_of(ints).find("the output would be int32"), std::string::npos) << error_of(ints);
  ints.attributes["dtype"] = integer(10);
  EXPECT_EQ(run(ints)[0].type, DType::f16);
  EXPECT_TRUE(run({"RandomNormal", 1, {{"shape", Dims{0, 3}}}})[0].bytes.empty());
}

// 2048 halves in [0, 2^-12): rounding to nearest would give the bound itself.
TEST(Random, NarrowUniformsStayBelowTheUpperBound) {
  NodeCase c{
      "RandomUniform", 22, {{"shape", Dims{20000}}, {"dtype", integer(10)}, {"low", 1.0f}, {"high", 1.0078125f}}};
  HostTensor y = run(c)[0];
  for (int64_t i = 0; i < 20000; ++i) {
    EXPECT_GE(y.as<uint16_t>()[i], 0x3c00);  // 1
    EXPECT_LT(y.as<uint16_t>()[i], 0x3c08);  // 1 + 2^-7
  }
}

TEST(Random, BernoulliDrawsWithTheGivenProbability) {
  std::vector<float> p(kMany);
  for (int64_t i = 0; i < kMany; ++i) p[size_t(i)] = float(i % 4) / 3;
  std::vector<int64_t> y =
      values_of<int64_t>(run({"Bernoulli", 15, {{"dtype", integer(7)}}, {tensor<float>({kMany}, p)}})[0]);
  double ones[4] = {};
  for (int64_t i = 0; i < kMany; ++i) ones[i % 4] += double(y[size_t(i)]);
  EXPECT_EQ(ones[0], 0);
  EXPECT_NEAR(ones[1], kMany / 12.0, 250);
  EXPECT_NEAR(ones[2], kMany / 6.0, 250);
  EXPECT_EQ(ones[3], kMany / 4);
}

TEST(Random, MultinomialDrawsInProportionToTheWeights) {
  HostTensor weights =
      tensor<float>({2, 4}, {std::log(1.0f), std::log(2.0f), std::log(5.0f), -INFINITY, 1000, -1000, 1000, 990});
  HostTensor y = run({"Multinomial", 7, {{"sample_size", integer(20000)}, {"dtype", integer(7)}}, {weights}})[0];
  ASSERT_EQ(y.dims, (Dims{2, 20000}));
  double share[2][4] = {};
  for (int64_t i = 0; i < 40000; ++i) share[i / 20000][y.as<int64_t>()[i]] += 1.0 / 20000;
  const double expected[] = {1.0 / 8, 2.0 / 8, 5.0 / 8, 0};
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(share[0][k], expected[k], 0.018);
  EXPECT_EQ(share[0][3], 0);
  EXPECT_NEAR(share[1][0], 0.5, 0.018);
  EXPECT_EQ(share[1][1], 0);
  EXPECT_EQ(run({"Multinomial", 7, {}, {weights}})[0].type, DType::i32);
}

// --- Dropout

NodeCase dropout(float ratio, bool training, int64_t n = 10000) {
  NodeCase c{
      "Dropout",
      13,
      {},
      {tensor<float>({n}, std::vector<float>(size_t(n), 2)), tensor<float>({}, {ratio}), tensor<bool>({}, {training})}};
  c.outputs = 2;
  return c;
}

void expect_dropped(const std::vector<HostTensor>& y, double ratio) {
  int64_t n = y[0].elements(), kept = 0;
  for (int64_t i = 0; i < n; ++i) {
    bool stays = y[1].as<bool>()[i];
    kept += stays;
    EXPECT_FLOAT_EQ(y[0].as<float>()[i], stays ? float(2 / (1 - ratio)) : 0);
  }
  EXPECT_NEAR(double(kept) / double(n), 1 - ratio, 0.025);
}

TEST(Dropout, TrainingDropsAndScales) {
  for (bool constant : {false, true}) {
    NodeCase c = dropout(0.75f, true);
    c.constant = {false, constant, constant};
    expect_dropped(run(c), 0.75);
    c.attributes["seed"] = integer(7);
    expect_dropped(run(c), 0.75);
  }
}

TEST(Dropout, KeepsEverythingWithoutTrainingOrWithARatioOfZero) {
  for (NodeCase c : {dropout(0.75f, false, 50), dropout(0, true, 50)}) {
    std::vector<HostTensor> y = run(c);
    EXPECT_EQ(values_of<float>(y[0]), std::vector<float>(50, 2));
    EXPECT_EQ(values_of<bool>(y[1]), std::vector<bool>(50, true));
  }
}

TEST(Dropout, OldVersionsTrainUnlessTheyTest) {
  HostTensor x = tensor<float>({1000}, std::vector<float>(1000, 2));
  NodeCase old{"Dropout", 6, {{"ratio", 0.5f}, {"is_test", integer(1)}}, {x}};
  EXPECT_EQ(values_of<float>(run(old)[0]), values_of<float>(x));
  old.attributes["is_test"] = integer(0);
  std::vector<float> y = values_of<float>(run(old)[0]);
  EXPECT_NEAR(double(std::count(y.begin(), y.end(), 4.0f)), 500, 80);
  old.opset = 7;
  EXPECT_EQ(values_of<float>(run(old)[0]), values_of<float>(x));
}

TEST(Dropout, RefusesRatiosOutOfRange) {
  NodeCase c = dropout(1.5f, true, 4);
  c.constant = {false, true, true};
  EXPECT_NE(error_of(c).find("the ratio 1.5 is not in [0, 1)"), std::string::npos) << error_of(c);
}

}  // namespace
}  // namespace cppgen::ops_test
