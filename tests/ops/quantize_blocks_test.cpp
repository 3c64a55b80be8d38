// QuantizeBlocks and QuantizedMatMulNBits against plain loops.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

std::vector<HostTensor> quantized(const HostTensor& x, int64_t block) {
  NodeCase c{"QuantizeBlocks", 1, {{"block_size", block}}, {x}};
  c.domain = "cppgen", c.outputs = 2;
  return run(c);
}

TEST(QuantizeBlocks, EachBlockHasItsScale) {
  for (int64_t K : {1, 16, 40}) {
    constexpr int64_t kBlock = 16, kRows = 3;
    const int64_t blocks = (K + kBlock - 1) / kBlock;
    std::vector<float> x;
    for (int64_t i = 0; i < kRows * K; i++) x.push_back(float(i * 37 % 101 - 50) * float(1 + i / 20) / 7);
    const auto y = quantized(tensor({kRows, K}, x), kBlock);
    ASSERT_EQ(y[0].dims, (std::vector<int64_t>{kRows, blocks * kBlock}));
    ASSERT_EQ(y[1].dims, (std::vector<int64_t>{kRows, blocks}));
    for (int64_t i = 0; i < kRows * blocks; i++) {
      const int64_t row = i / blocks, first = i % blocks * kBlock, end = std::min(K, first + kBlock);
      float most = 0;
      for (int64_t k = first; k < end; k++) most = std::max(most, std::abs(x[size_t(row * K + k)]));
      EXPECT_EQ(y[1].as<float>()[i], most / 127);
      for (int64_t k = first; k < first + kBlock; k++) {
        const float number = k < end ? std::nearbyint(x[size_t(row * K + k)] * (127 / most)) : 0;
        EXPECT_EQ(float(y[0].as<int8_t>()[row * blocks * kBlock + k]), number) << K << ", " << k;
      }
    }
  }
}

TEST(QuantizeBlocks, ZerosAndWhatIsNoNumber) {
  const auto zeros = quantized(tensor<float>({1, 2}, {0, -0.0F}), 2);
  EXPECT_EQ(values_of<int8_t>(zeros[0]), (std::vector<int8_t>{0, 0}));
  EXPECT_EQ(values_of<float>(zeros[1]), std::vector<float>{0});
  // The scale makes every result that depends on it infinite or no number.
  EXPECT_TRUE(std::isinf(quantized(tensor<float>({1, 2}, {1, INFINITY}), 2)[1].as<float>()[0]));
  EXPECT_TRUE(std::isnan(quantized(tensor<float>({1, 2}, {1, NAN}), 2)[1].as<float>()[0]));
}

TEST(QuantizedMatMulNBits, MultipliesScaledBytes) {
  constexpr int64_t kK = 20, kColumns = 3, kBlock = 16, kBlocks = 2;
  std::vector<int8_t> bytes;
  for (int64_t k = 0; k < kBlocks * kBlock; k++) bytes.push_back(int8_t(k * 29 % 255 - 127));
  std::vector<uint8_t> weights;
  for (int64_t i = 0; i < kColumns * kBlocks * kBlock / 2; i++) weights.push_back(uint8_t(i * 73 + 5));
  const HostTensor left_scales = tensor<float>({1, kBlocks}, {0.5F, 2}), scales = ramp({kColumns, kBlocks}, 5);
  NodeCase c{
      "QuantizedMatMulNBits",
      1,
      {{"K", kK}, {"N", kColumns}, {"bits", int64_t{4}}, {"block_size", kBlock}},
      {tensor({1, kBlocks * kBlock}, bytes), left_scales, tensor({kColumns, kBlocks, kBlock / 2}, weights), scales}};
  c.domain = "cppgen";
  const HostTensor y = run(c)[0];
  for (int64_t n = 0; n < kColumns; n++) {
    double want = 0;
    for (int64_t k = 0; k < kK; k++) {
      const int64_t block = k / kBlock;
      const int weight = weights[size_t((n * kBlocks * kBlock + k) / 2)] >> (k % 2 * 4) & 15;
      want += bytes[size_t(k)] * double(left_scales.as<float>()[block]) * (weight - 8) *
              double(scales.as<float>()[n * kBlocks + block]);
    }
    EXPECT_NEAR(y.as<float>()[n], want, 1e-3);
  }
}

}  // namespace
}  // namespace cppgen::ops_test
