// RNN, GRU and LSTM: what the published data leave out, directions and lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

constexpr int64_t kSteps = 3, kBatch = 2, kInput = 2, kHidden = 2;

struct Cell {
  const char* op;
  int64_t gates;
};
constexpr Cell kCells[] = {{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}};

HostTensor weights(const Cell& cell, int64_t columns) { return ramp({1, cell.gates * kHidden, columns}, 7, 0.1); }

NodeCase node_of(const Cell& cell, const HostTensor& x, const std::string& direction,
                 const std::vector<int32_t>& lengths) {
  NodeCase c{cell.op, 14, {{"hidden_size", integer(kHidden)}, {"direction", direction}}};
  c.inputs = {x, weights(cell, kInput), weights(cell, kHidden), ramp({1, 2 * cell.gates * kHidden}, 5, 0.1),
              tensor<int32_t>({kBatch}, lengths)};
  c.outputs = 2;
  return c;
}

// Each sequence reversed within its own length.
HostTensor reversed(HostTensor t, int64_t width, const std::vector<int32_t>& lengths) {
  for (int64_t b = 0; b < kBatch; b++)
    for (int64_t s = 0; s < lengths[size_t(b)] / 2; s++)
      for (int64_t i = 0; i < width; i++)
        std::swap(t.as<float>()[(s * kBatch + b) * width + i],
                  t.as<float>()[((lengths[size_t(b)] - 1 - s) * kBatch + b) * width + i]);
  return t;
}

TEST(Recurrent, ReverseIsForwardOnReversedSequences) {
  const std::vector<int32_t> lengths = {3, 2};
  const HostTensor x = ramp({kSteps, kBatch, kInput});
  for (const Cell& cell : kCells) {
    SCOPED_TRACE(cell.op);
    const auto reverse = run(node_of(cell, x, "reverse", lengths));
    const auto forward = run(node_of(cell, reversed(x, kInput, lengths), "forward", lengths));
    const HostTensor expected = reversed(forward[0], kHidden, lengths);
    EXPECT_EQ(values_of<float>(reverse[0]), values_of<float>(expected));
    EXPECT_EQ(values_of<float>(reverse[1]), values_of<float>(forward[1]));
  }
}

TEST(Recurrent, StatesStopAndOutputsAreZeroBehindTheEnd) {
  const HostTensor x = ramp({kSteps, kBatch, kInput});
  for (const Cell& cell : kCells) {
    SCOPED_TRACE(cell.op);
    const auto y = run(node_of(cell, x, "forward", {3, 1}));
    const auto all = values_of<float>(y[0]), last = values_of<float>(y[1]);
    for (int64_t h = 0; h < kHidden; h++) {
      EXPECT_EQ(all[size_t((2 * kBatch + 1) * kHidden + h)], 0);
      EXPECT_EQ(last[size_t(kHidden + h)], all[size_t(kHidden + h)]);
    }
  }
}

TEST(Recurrent, ActivationsTakeTheirParametersInOrder) {
  NodeCase c{"RNN", 14, {{"hidden_size", integer(1)}, {"activations", std::vector<std::string>{"Affine"}}}};
  c.attributes["activation_alpha"] = std::vector<float>{2};
  c.attributes["activation_beta"] = std::vector<float>{1};
  const HostTensor one = tensor<float>({1, 1, 1}, {1});
  c.inputs = {tensor<float>({2, 1, 1}, {1, 2}), one, one};
  EXPECT_EQ(values_of<float>(run(c)[0]), (std::vector<float>{3, 11}));
}

}  // namespace
}  // namespace cppgen::ops_test
