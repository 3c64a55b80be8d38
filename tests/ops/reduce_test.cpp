// Reductions, softmax, normalizations and pooling against plain C++.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

void expect_near(const HostTensor& actual, const Dims& dims, const std::vector<double>& expected, double eps = 1e-5) {
  ASSERT_EQ(actual.dims, dims);
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual.as<float>()[i], expected[i], eps * (1 + std::abs(expected[i]))) << "element " << i;
  }
}

HostTensor positive(Dims dims) {
  HostTensor t = ramp(std::move(dims));
  for (int64_t i = 0; i < t.elements(); ++i) t.as<float>()[i] += 3;
  return t;
}

struct ReduceRow {
  const char* op;
  double start;
  double (*step)(double, double);
  double (*finish)(double, double count);
};

const ReduceRow kReductions[] = {
    {"ReduceSum", 0, [](double a, double x) { return a + x; }, [](double a, double) { return a; }},
    {"ReduceMean", 0, [](double a, double x) { return a + x; }, [](double a, double n) { return a / n; }},
    {"ReduceProd", 1, [](double a, double x) { return a * x; }, [](double a, double) { return a; }},
    {"ReduceMax", -INFINITY, [](double a, double x) { return std::max(a, x); }, [](double a, double) { return a; }},
    {"ReduceMin", INFINITY, [](double a, double x) { return std::min(a, x); }, [](double a, double) { return a; }},
    {"ReduceL1", 0, [](double a, double x) { return a + std::abs(x); }, [](double a, double) { return a; }},
    {"ReduceL2", 0, [](double a, double x) { return a + x * x; }, [](double a, double) { return std::sqrt(a); }},
    {"ReduceSumSquare", 0, [](double a, double x) { return a + x * x; }, [](double a, double) { return a; }},
    {"ReduceLogSum", 0, [](double a, double x) { return a + x; }, [](double a, double) { return std::log(a); }},
    {"ReduceLogSumExp", 0, [](double a, double x) { return a + std::exp(x); },
     [](double a, double) { return std::log(a); }},
};

TEST(Reduce, OverOneTwoAndAllAxes) {
  HostTensor x = positive({2, 3, 4});
  for (const ReduceRow& row : kReductions) {
    SCOPED_TRACE(row.op);
    for (int mask = 1; mask < 8; ++mask) {
      Dims axes, keep = {2, 3, 4}, removed;
      for (int d = 0; d < 3; ++d) {
        if (mask >> d & 1)
          axes.push_back(d - 3), keep[d] = 1;
        else
          removed.push_back(x.dims[d]);
      }
      std::vector<double> acc(size_t(keep[0] * keep[1] * keep[2]), row.start);
      for (int i = 0; i < 24; ++i) {
        int64_t at[3] = {i / 12, i / 4 % 3, i % 4}, to = 0;
        for (int d = 0; d < 3; ++d) to = to * keep[d] + (mask >> d & 1 ? 0 : at[d]);
        acc[size_t(to)] = row.step(acc[size_t(to)], x.as<float>()[i]);
      }
      for (double& a : acc) a = row.finish(a, 24.0 / double(acc.size()));
      bool sum = row.op == std::string("ReduceSum");
      HostTensor axes_tensor = tensor<int64_t>({int64_t(axes.size())}, axes);
      NodeCase c{row.op, sum ? 13 : 18, {}, {x, axes_tensor}, {false, true}};
      expect_near(run(c)[0], keep, acc);
      c.attributes["keepdims"] = integer(0);
      expect_near(run(c)[0], removed, acc);
      NodeCase old{row.op, 11, {{"axes", axes}}, {x}};
      expect_near(run(old)[0], keep, acc);
    }
  }
}

TEST(Reduce, EmptyAxesReduceAllOrNothing) {
  HostTensor x = positive({2, 2}), none = tensor<int64_t>({0}, {});
  EXPECT_EQ(run({"ReduceSum", 13, {{"noop_with_empty_axes", integer(1)}}, {x, none}, {false, true}})[0].bytes, x.bytes);
  EXPECT_EQ(run({"ReduceSum", 13, {}, {x, none}, {false, true}})[0].dims, (Dims{1, 1}));
}

TEST(Reduce, LogSumExpDoesNotOverflow) {
  expect_near(run({"ReduceLogSumExp", 13, {{"keepdims", integer(0)}}, {tensor<float>({2}, {1000, 1000})}})[0], {},
              {1000 + std::log(2.0)});
  EXPECT_EQ(
      run({"ReduceLogSumExp", 13, {{"keepdims", integer(0)}}, {tensor<float>({1}, {-INFINITY})}})[0].as<float>()[0],
      -INFINITY);
}

TEST(ArgMax, FirstOrLastOfEqualValues) {
  HostTensor x = tensor<float>({2, 3}, {5, 1, 5, 2, 7, 7});
  EXPECT_EQ(values_of<int64_t>(run({"ArgMax", 13, {{"axis", integer(1)}, {"keepdims", integer(0)}}, {x}})[0]),
            (Dims{0, 1}));
  EXPECT_EQ(values_of<int64_t>(run({"ArgMax", 13, {{"axis", integer(1)}, {"select_last_index", integer(1)}}, {x}})[0]),
            (Dims{2, 2}));
  EXPECT_EQ(values_of<int64_t>(run({"ArgMin", 13, {{"axis", integer(0)}}, {x}})[0]), (Dims{1, 0, 0}));
}

// softmax over `inner` consecutive elements
std::vector<double> softmax_reference(const HostTensor& x, int64_t inner) {
  std::vector<double> out;
  for (int64_t row = 0; row < x.elements() / inner; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < inner; ++i) sum += std::exp(double(x.as<float>()[row * inner + i]));
    for (int64_t i = 0; i < inner; ++i) out.push_back(std::exp(double(x.as<float>()[row * inner + i])) / sum);
  }
  return out;
}

TEST(Softmax, OneAxisFromVersion13AllTrailingBefore) {
  HostTensor x = ramp({2, 3, 4});
  expect_near(run({"Softmax", 13, {}, {x}})[0], {2, 3, 4}, softmax_reference(x, 4));
  expect_near(run({"Softmax", 11, {}, {x}})[0], {2, 3, 4}, softmax_reference(x, 12));
  std::vector<double> logs = softmax_reference(x, 4);
  for (double& v : logs) v = std::log(v);
  expect_near(run({"LogSoftmax", 13, {}, {x}})[0], {2, 3, 4}, logs);
  Graph g = graph_of({"Softmax", 13, {}, {x}});
  ir::Program p = program_of(g);
  std::string names;
  for (const ir::Statement& s : p.statements) names += std::get<ir::LoopNest>(s).name + " ";
  EXPECT_EQ(names, "softmax_max softmax_exp softmax_sum softmax_divide ");
}

TEST(LayerNormalization, NormalisesRowsAndGivesStatistics) {
  HostTensor x = ramp({2, 3, 4}), scale = ramp({4}, 5), bias = ramp({4}, 3);
  NodeCase c{"LayerNormalization", 17, {{"epsilon", 0.01f}}, {x, scale, bias}};
  c.outputs = 3;
  auto y = run(c);
  std::vector<double> expected, means, inverses;
  for (int row = 0; row < 6; ++row) {
    const float* r = x.as<float>() + row * 4;
    double mean = 0, variance = 0;
    for (int i = 0; i < 4; ++i) mean += r[i] / 4.0;
    for (int i = 0; i < 4; ++i) variance += (r[i] - mean) * (r[i] - mean) / 4;
    double inverse = 1 / std::sqrt(variance + 0.01);
    means.push_back(mean), inverses.push_back(inverse);
    for (int i = 0; i < 4; ++i)
      expected.push_back((r[i] - mean) * inverse * scale.as<float>()[i] + bias.as<float>()[i]);
  }
  expect_near(y[0], {2, 3, 4}, expected);
  expect_near(y[1], {2, 3, 1}, means);
  expect_near(y[2], {2, 3, 1}, inverses);
}

TEST(GroupNormalization, AgreesWithInstanceNormalizationForSingleChannels) {
  HostTensor x = ramp({2, 4, 3, 3}), scale = ramp({4}, 5), bias = ramp({4}, 3);
  auto instance = run({"InstanceNormalization", 6, {}, {x, scale, bias}})[0];
  auto group = run({"GroupNormalization", 21, {{"num_groups", integer(4)}}, {x, scale, bias}})[0];
  EXPECT_EQ(values_of<float>(group), values_of<float>(instance));
}

struct PoolRow {
  int64_t kernel, stride, begin, end, dilation;
  bool ceil, include;
  int64_t out;
};

const PoolRow kPools[] = {{3, 1, 0, 0, 1, false, false, 5}, {3, 2, 1, 1, 1, false, false, 4},
                          {3, 2, 1, 1, 1, false, true, 4},  {2, 2, 0, 0, 1, true, false, 4},
                          {2, 2, 0, 0, 1, true, true, 4},   {3, 1, 2, 2, 2, false, false, 7},
                          {2, 3, 1, 0, 1, true, true, 3}};

TEST(Pool, CountsWhatLiesInside) {
  HostTensor x = ramp({1, 1, 7});
  for (const PoolRow& r : kPools) {
    std::vector<double> greatest, average;
    for (int64_t o = 0; o < r.out; ++o) {
      double best = -INFINITY, sum = 0;
      int64_t inside = 0, padded = 0;
      for (int64_t k = 0; k < r.kernel; ++k) {
        int64_t p = o * r.stride + k * r.dilation - r.begin;
        padded += p >= -r.begin && p < 7 + r.end;
        if (p < 0 || p >= 7) continue;
        best = std::max(best, double(x.as<float>()[p])), sum += x.as<float>()[p], ++inside;
      }
      greatest.push_back(best), average.push_back(sum / double(r.include ? padded : inside));
    }
    std::map<std::string, Attribute> a = {{"kernel_shape", ints({r.kernel})},
                                          {"strides", ints({r.stride})},
                                          {"pads", ints({r.begin, r.end})},
                                          {"dilations", ints({r.dilation})},
                                          {"ceil_mode", integer(r.ceil)}};
    expect_near(run({"MaxPool", 12, a, {x}})[0], {1, 1, r.out}, greatest);
    a["count_include_pad"] = integer(r.include);
    expect_near(run({"AveragePool", 19, a, {x}})[0], {1, 1, r.out}, average);
  }
}

TEST(Pool, PositionsCountThroughTheWholeTensor) {
  NodeCase c{"MaxPool",
             12,
             {{"kernel_shape", ints({2, 2})}, {"strides", ints({2, 2})}},
             {tensor<float>({1, 2, 2, 2}, {1, 4, 3, 2, 8, 5, 6, 7})}};
  c.outputs = 2;
  EXPECT_EQ(values_of<int64_t>(run(c)[1]), (Dims{1, 4}));
  c.attributes["storage_order"] = integer(1);
  EXPECT_EQ(values_of<int64_t>(run(c)[1]), (Dims{2, 4}));
}

TEST(Lrn, SumsNeighbouringChannels) {
  HostTensor x = ramp({1, 5, 2});
  std::vector<double> expected;
  for (int c = 0; c < 5; ++c) {
    for (int i = 0; i < 2; ++i) {
      double sum = 0;
      for (int n = std::max(0, c - 1); n <= std::min(4, c + 1); ++n)
        sum += std::pow(double(x.as<float>()[n * 2 + i]), 2);
      expected.push_back(x.as<float>()[c * 2 + i] / std::pow(1 + 0.1f / 3 * sum, 0.5));
    }
  }
  expect_near(run({"LRN", 13, {{"size", integer(3)}, {"alpha", 0.1f}, {"beta", 0.5f}}, {x}})[0], {1, 5, 2}, expected);
}

}  // namespace
}  // namespace cppgen::ops_test
