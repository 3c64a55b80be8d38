// Tests which element MaxPool says is the greatest, where several are.
#include <gtest/gtest.h>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

std::vector<int64_t> positions(HostTensor x, std::map<std::string, Attribute> attributes) {
  NodeCase c{"MaxPool", 22, std::move(attributes)};
  c.inputs = {std::move(x)};
  c.outputs = 2;
  return values_of<int64_t>(run(c)[1]);
}

TEST(MaxPositions, TheFirstOfEqualElementsCountsInTheOrderOfRows) {
  HostTensor x = tensor<float>({1, 1, 2, 3}, {0, 5, 5, 5, 0, 5});
  EXPECT_EQ(positions(x, {{"kernel_shape", ints({2, 2})}}), (std::vector<int64_t>{1, 1}));
  // Column by column, (0, 1) is element 2.
  EXPECT_EQ(positions(x, {{"kernel_shape", ints({2, 2})}, {"storage_order", integer(1)}}),
            (std::vector<int64_t>{2, 2}));
}

TEST(MaxPositions, LieInsideWhereAllElementsAreTheLeast) {
  HostTensor x = tensor<int8_t>({1, 2, 3}, std::vector<int8_t>(6, -128));
  EXPECT_EQ(positions(x, {{"kernel_shape", ints({3})}, {"pads", ints({2, 1})}, {"dilations", ints({2})}}),
            (std::vector<int64_t>{0, 1, 3, 4}));
}

// Large windows are taken one dimension after the other; their positions come from one pass over all taps.
TEST(MaxPositions, HoldTheMaximaOfLargeWindows) {
  const std::vector<std::map<std::string, Attribute>> cases = {
      {{"kernel_shape", ints({5, 7})}, {"pads", ints({2, 3, 2, 3})}},
      {{"kernel_shape", ints({7, 6})}, {"dilations", ints({2, 1})}, {"pads", ints({3, 1, 4, 0})}},
      {{"kernel_shape", ints({9, 9})},
       {"strides", ints({1, 2})},
       {"pads", ints({4, 4, 4, 4})},
       {"ceil_mode", integer(1)}},
  };
  const HostTensor x = ramp({2, 3, 15, 18}, 1009);
  for (const auto& attributes : cases) {
    NodeCase c{"MaxPool", 22, attributes};
    c.inputs = {x};
    c.outputs = 2;
    const auto results = run(c);
    const auto maxima = values_of<float>(results[0]);
    const auto where = values_of<int64_t>(results[1]);
    ASSERT_EQ(maxima.size(), where.size());
    for (size_t i = 0; i < maxima.size(); ++i) EXPECT_EQ(maxima[i], x.as<float>()[where[i]]);
  }
}

}  // namespace
}  // namespace cppgen::ops_test
