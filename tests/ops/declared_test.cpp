// Operators whose output shape only a run knows: the declared shape is taken, and a run that disagrees ends.
#include "cppgen/ops/declared.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/base/errors.h"
#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

HostTensor list(const std::vector<int64_t>& values) { return tensor<int64_t>({int64_t(values.size())}, values); }

NodeCase declared(NodeCase c, const Dims& dims) {
  c.facts.declared[0] = dims;
  return c;
}

struct Row {
  NodeCase node;
  Dims dims;
  std::vector<float> expected;  // empty: the run must end with an error
};

const HostTensor kSix = tensor<float>({2, 3}, {0, 1, 2, 3, 4, 5});

const Row kRows[] = {
    {{"Reshape", 14, {}, {kSix, list({3, -1})}}, {3, 2}, {0, 1, 2, 3, 4, 5}},
    {{"Reshape", 14, {}, {kSix, list({0, 3})}}, {2, 3}, {0, 1, 2, 3, 4, 5}},
    {{"Reshape", 14, {}, {kSix, list({6, 1})}}, {3, 2}, {}},
    {{"Unsqueeze", 13, {}, {kSix, list({-3})}}, {1, 2, 3}, {0, 1, 2, 3, 4, 5}},
    {{"Unsqueeze", 13, {}, {kSix, list({1})}}, {1, 2, 3}, {}},
    {{"Expand", 13, {}, {tensor<float>({2, 1}, {7, 8}), list({1, 2})}}, {2, 2}, {7, 7, 8, 8}},
    {{"Expand", 13, {}, {tensor<float>({2, 1}, {7, 8}), list({2, 3})}}, {2, 2}, {}},
    {{"Tile", 13, {}, {tensor<float>({2}, {7, 8}), list({2})}}, {4}, {7, 8, 7, 8}},
    {{"Tile", 13, {}, {tensor<float>({2}, {7, 8}), list({3})}}, {4}, {}},
    {{"Slice", 13, {}, {kSix, list({-1}), list({-10}), list({1}), list({-2})}}, {2, 2}, {2, 0, 5, 3}},
    {{"Slice", 13, {}, {kSix, list({-7}), list({-10}), list({1}), list({-2})}}, {2, 1}, {0, 3}},
    {{"Slice", 13, {}, {kSix, list({1}), list({9}), list({-1})}}, {2, 2}, {1, 2, 4, 5}},
    {{"Slice", 13, {}, {kSix, list({2}), list({9}), list({-1})}}, {2, 2}, {}},
    {{"Pad", 13, {{"mode", std::string("reflect")}}, {kSix, list({0, 2, 0, 1})}},
     {2, 6},
     {2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4}},
    {{"Pad", 13, {}, {kSix, list({0, -1, 0, 0})}}, {2, 2}, {1, 2, 4, 5}},
    {{"Pad", 13, {}, {kSix, list({0, 1, 0, 0})}}, {2, 2}, {}},
    {{"ReduceSum", 13, {}, {kSix, list({-1})}}, {2, 1}, {3, 12}},
    {{"ReduceSum", 13, {}, {kSix, list({0})}}, {2, 1}, {}},
    {{"ReduceLogSumExp", 18, {}, {kSix, list({0})}}, {2, 1}, {}},
    {{"Range", 11, {}, {tensor<float>({}, {1}), tensor<float>({}, {4}), tensor<float>({}, {1.5f})}}, {2}, {1, 2.5f}},
    {{"Range", 11, {}, {tensor<float>({}, {1}), tensor<float>({}, {9}), tensor<float>({}, {1.5f})}}, {2}, {}},
    {{"TopK", 11, {}, {kSix, list({2})}, {}, {}, 2}, {2, 2}, {2, 1, 5, 4}},
    {{"TopK", 11, {}, {kSix, list({1})}, {}, {}, 2}, {2, 2}, {}},
    {{"Compress", 11, {{"axis", integer(1)}}, {kSix, tensor<bool>({3}, {true, false, true})}}, {2, 2}, {0, 2, 3, 5}},
    {{"Compress", 11, {{"axis", integer(1)}}, {kSix, tensor<bool>({3}, {true, true, true})}}, {2, 2}, {}},
    {{"CumSum", 14, {}, {kSix, tensor<int64_t>({}, {-1})}}, {2, 3}, {0, 1, 3, 3, 7, 12}},
};

std::string error_of_run(const NodeCase& c) {
  try {
    run(c);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(Declared, ShapesAreTakenAndChecked) {
  int number = 0;
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.node.op + " in row " + std::to_string(number++));
    const NodeCase c = declared(row.node, row.dims);
    const std::string error = error_of_run(c);
    EXPECT_EQ(error.empty(), !row.expected.empty()) << error;
    if (row.expected.empty()) continue;
    const HostTensor y = run(c)[0];
    EXPECT_EQ(y.dims, row.dims);
    EXPECT_EQ(values_of<float>(y), row.expected);
  }
}

// Several choices of axes give the declared shape: the run says which.
TEST(Declared, ReductionsTakeTheAxesOfTheRun) {
  const HostTensor cube = tensor<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto sums = [&](std::vector<int64_t> axes, const char* op = "ReduceSum", int opset = 13) {
    return values_of<float>(run(declared({op, opset, {{"keepdims", integer(0)}}, {cube, list(axes)}}, {2, 2}))[0]);
  };
  EXPECT_EQ(sums({0}), (std::vector<float>{6, 8, 10, 12}));
  EXPECT_EQ(sums({1}), (std::vector<float>{4, 6, 12, 14}));
  EXPECT_EQ(sums({-1}), (std::vector<float>{3, 7, 11, 15}));
  EXPECT_EQ(sums({-2}, "ReduceMean", 18), (std::vector<float>{2, 3, 6, 7}));
  EXPECT_NEAR(sums({2}, "ReduceLogSumExp", 18)[1], 4 + std::log1p(std::exp(-1.0)), 1e-6);
  const NodeCase twice = declared({"ReduceSum", 13, {{"keepdims", integer(0)}}, {cube, list({0, 0})}}, {2});
  EXPECT_NE(error_of_run(twice), "");
}

TEST(Declared, ReductionsRefuseAxesThatNoChoiceFits) {
  const HostTensor square = tensor<float>({2, 2}, {1, 2, 3, 4});
  const NodeCase c = declared({"ReduceSum", 13, {{"keepdims", integer(0)}}, {square, list({0})}}, {3});
  EXPECT_NE(error_of(c).find("0 choices of axes yield the declared shape [3]"), std::string::npos) << error_of(c);
}

TEST(Declared, AnEmptyListOfAxesIsKnownWithoutARun) {
  const HostTensor square = tensor<float>({2, 2}, {1, 2, 3, 4});
  NodeCase c{"ReduceSum", 13, {{"keepdims", integer(0)}}, {square, list({})}};
  EXPECT_EQ(values_of<float>(run(c)[0]), (std::vector<float>{10}));
  c.attributes["noop_with_empty_axes"] = integer(1);
  EXPECT_EQ(values_of<float>(run(c)[0]), (std::vector<float>{1, 2, 3, 4}));
}

TEST(TopK, NanIsGreatestAndTheFirstOfEqualOnesWins) {
  const HostTensor x = tensor<float>({5}, {1, NAN, 3, 3, -INFINITY});
  const auto top = run({"TopK", 11, {}, {x, list({4})}, {false, true}, {}, 2});
  EXPECT_EQ(values_of<int64_t>(top[1]), (Dims{1, 2, 3, 0}));
  const auto least = run({"TopK", 11, {{"largest", integer(0)}}, {x, list({5})}, {false, true}, {}, 2});
  EXPECT_EQ(values_of<int64_t>(least[1]), (Dims{4, 0, 2, 3, 1}));
}

// A row exchange, and a column without a pivot.
TEST(Det, PivotsAndSingularMatrices) {
  const HostTensor x = tensor<float>({2, 3, 3}, {0, 2, 1, 1, 0, 0, 3, 0, 4, 1, 2, 3, 2, 4, 6, 0, 1, 5});
  const std::vector<float> y = values_of<float>(run({"Det", 11, {}, {x}})[0]);
  EXPECT_NEAR(y[0], -8, 1e-5);
  EXPECT_NEAR(y[1], 0, 1e-5);
}

}  // namespace
}  // namespace cppgen::ops_test
