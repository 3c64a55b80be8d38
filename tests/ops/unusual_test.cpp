// Old forms, types and values that few models have, against numbers from the specification.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runtime/base/elements.h"
#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kMax = std::numeric_limits<float>::max();

struct UnusualRow {
  NodeCase node;
  std::vector<std::vector<double>> expected;  // of each output
};

HostTensor floats(std::vector<int64_t> dims, const std::vector<float>& v) { return tensor<float>(std::move(dims), v); }
NodeCase with_outputs(NodeCase c, int outputs) {
  c.outputs = outputs;
  return c;
}

const UnusualRow kRows[] = {
    // A bound that is missing is the type's greatest finite number.
    {{"Clip", 13, {}, {floats({3}, {kInf, -kInf, 1}), floats({}, {0})}}, {{kMax, 0, 1}}},
    {{"Clip", 6, {{"max", 2.0f}}, {floats({3}, {kInf, -kInf, 1})}}, {{2, -kMax, 1}}},
    // Parameters for each element.
    {{"BatchNormalization",
      7,
      {{"spatial", integer(0)}, {"epsilon", 0.0f}},
      {floats({2, 2}, {1, 2, 3, 4}), floats({2}, {2, 3}), floats({2}, {0, 1}), floats({2}, {1, 1}),
       floats({2}, {4, 1})}},
     {{0, 4, 2, 10}}},
    {{"BatchNormalization",
      7,
      {{"spatial", integer(0)}, {"epsilon", 0.0f}},
      {floats({1, 1, 2}, {1, 2}), floats({1, 2}, {2, 3}), floats({1, 2}, {0, 1}), floats({1, 2}, {1, 1}),
       floats({1, 2}, {4, 1})}},
     {{0, 4}}},
    // Vectors of zeros stay.
    {{"LpNormalization", 1, {}, {floats({2, 2}, {0, 0, 3, 4})}}, {{0, 0, 0.6, 0.8}}},
    {{"Shrink", 9, {{"lambd", 1.5f}, {"bias", 1.5f}}, {tensor<int8_t>({4}, {-4, -1, 1, 4})}}, {{-2, 0, 0, 2}}},
    // What negative pads leave is repeated.
    {{"Pad",
      19,
      {{"mode", std::string("wrap")}},
      {floats({4}, {1, 2, 3, 4}), tensor<int64_t>({2}, {-1, 4})},
      {false, true}},
     {{2, 3, 4, 2, 3, 4, 2}}},
    {{"Pad",
      11,
      {{"mode", std::string("reflect")}},
      {floats({4}, {1, 2, 3, 4}), tensor<int64_t>({2}, {-1, 3})},
      {false, true}},
     {{2, 3, 4, 3, 2, 3}}},
    {{"Pad", 2, {{"mode", std::string("edge")}, {"pads", ints({2, -1})}}, {floats({3}, {1, 2, 3})}}, {{1, 1, 1, 2}}},
    // Version 10 rounds positions up where it shrinks an axis; extents are products of floats.
    {{"Resize", 10, {}, {floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), floats({2}, {0.6f, 0.6f})}, {false, true}},
     {{1, 3}}},
    {{"Resize", 10, {}, {floats({3}, {1, 2, 3}), floats({1}, {2})}, {false, true}}, {{1, 1, 2, 2, 3, 3}}},
    {{"Upsample", 9, {}, {floats({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), floats({1}, {0.7f})}, {false, true}},
     {{0, 1, 2, 4, 5, 7, 8}}},
    {{"ScatterElements",
      16,
      {{"reduction", std::string("add")}},
      {tensor<bool>({4}, {false, true, false, true}), tensor<int64_t>({3}, {0, 1, 2}),
       tensor<bool>({3}, {true, false, false})}},
     {{1, 1, 0, 1}}},
    {{"ScatterElements",
      16,
      {{"reduction", std::string("mul")}},
      {tensor<bool>({4}, {false, true, false, true}), tensor<int64_t>({3}, {0, 1, 2}),
       tensor<bool>({3}, {true, false, false})}},
     {{0, 0, 0, 1}}},
    {{"ReduceMean", 18, {}, {floats({2, 0}, {}), tensor<int64_t>({1}, {1})}, {false, true}}, {{0, 0}}},
    // Masks before version 12, which make no statement.
    {with_outputs({"Dropout", 10, {}, {floats({2}, {1, 2})}}, 2), {{1, 2}, {0, 0}}},
};

TEST(Unusual, FollowsTheSpecification) {
  for (const UnusualRow& row : kRows) {
    SCOPED_TRACE(fmt::format("{} {}", row.node.op, row.node.opset));
    const std::vector<HostTensor> results = run(row.node);
    for (size_t o = 0; o < row.expected.size(); o++) {
      std::vector<double> actual;
      for (int64_t i = 0; i < results[o].elements(); i++)
        actual.push_back(number_element(results[o].type, results[o].bytes.data(), i));
      ASSERT_EQ(actual.size(), row.expected[o].size());
      for (size_t i = 0; i < actual.size(); i++)
        EXPECT_NEAR(actual[i], row.expected[o][i], 1e-6 * std::abs(row.expected[o][i])) << o << " " << i;
    }
  }
}

}  // namespace
}  // namespace cppgen::ops_test
