// MatMulNBits against plain loops over the numbers that its weights stand for.
#include <gtest/gtest.h>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

struct Row {
  int64_t m, k, n, bits, block;
  enum Zeros { none, packed, floats } zeros = none;
  bool bias = false, flat = false;
};

int field(const std::vector<uint8_t>& bytes, int64_t row_bytes, int64_t row, int64_t i, int64_t bits) {
  return bytes[size_t(row * row_bytes + i * bits / 8)] >> (i * bits % 8) & ((1 << bits) - 1);
}

std::vector<uint8_t> pattern(int64_t count, int seed) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < count; ++i) bytes.push_back(uint8_t(i * 73 + seed));
  return bytes;
}

void check(const Row& r) {
  const int64_t blocks = (r.k + r.block - 1) / r.block, block_bytes = r.block * r.bits / 8;
  const int64_t zero_bytes = (blocks * r.bits + 7) / 8;
  const auto weights = pattern(r.n * blocks * block_bytes, 5), zeros = pattern(r.n * zero_bytes, 9);
  HostTensor a = ramp({2, r.m, r.k}), scales = ramp({r.n, blocks}, 7, 0.5), float_zeros = ramp({r.n, blocks}, 11);
  HostTensor bias = ramp({r.n}, 5);
  std::vector<int64_t> zero_dims = {r.n, zero_bytes};
  if (r.flat) scales.dims = {r.n * blocks}, zero_dims = {r.n * zero_bytes};
  NodeCase c{"MatMulNBits", 1, {{"K", r.k}, {"N", r.n}, {"bits", r.bits}, {"block_size", r.block}}};
  c.domain = "com.microsoft";
  c.inputs = {a,
              tensor({r.n, blocks, block_bytes}, weights),
              scales,
              r.zeros == Row::floats ? float_zeros : tensor(zero_dims, zeros),
              tensor<int32_t>({1}, {0}),
              bias};
  c.absent = {false, false, false, r.zeros == Row::none, true, !r.bias};
  HostTensor y = run(c)[0];
  ASSERT_EQ(y.dims, (std::vector<int64_t>{2, r.m, r.n}));
  for (int64_t i = 0; i < y.elements(); ++i) {
    const int64_t n = i % r.n, m = i / r.n;
    double sum = r.bias ? double(bias.as<float>()[n]) : 0;
    for (int64_t k = 0; k < r.k; ++k) {
      const int64_t block = k / r.block;
      double zero = r.zeros == Row::none     ? double(1 << (r.bits - 1))
                    : r.zeros == Row::packed ? double(field(zeros, zero_bytes, n, block, r.bits))
                                             : double(float_zeros.as<float>()[n * blocks + block]);
      double w = field(weights, blocks * block_bytes, n, k, r.bits) - zero;
      sum += double(a.as<float>()[m * r.k + k]) * w * double(scales.as<float>()[n * blocks + block]);
    }
    ASSERT_NEAR(y.as<float>()[i], sum, 1e-4 * (1 + std::abs(sum))) << i;
  }
}

TEST(MatMulNBits, FollowsPlainLoops) {
  for (int64_t bits : {2, 4, 8})
    for (auto zeros : {Row::none, Row::packed, Row::floats}) {
      check({1, 32, 3, bits, 16, zeros});
      check({3, 70, 5, bits, 32, zeros, true});
      check({2, 33, 4, bits, 16, zeros, false, true});
    }
}

TEST(MatMulNBits, SaysWhatItDoesNotSupport) {
  NodeCase c{
      "MatMulNBits", 1, {{"K", integer(32)}, {"N", integer(2)}, {"bits", integer(3)}, {"block_size", integer(16)}}};
  c.domain = "com.microsoft";
  c.inputs = {ramp({1, 32}), tensor({2, 2, 8}, pattern(32, 1)), ramp({2, 2})};
  EXPECT_NE(error_of(c).find("3 bits are not supported; 2, 4 and 8 are"), std::string::npos) << error_of(c);
  c.attributes["bits"] = integer(4);
  EXPECT_EQ(error_of(c), "");
  c.attributes["block_size"] = integer(24);
  EXPECT_NE(error_of(c).find("must be a power of 2"), std::string::npos) << error_of(c);
}

}  // namespace
}  // namespace cppgen::ops_test
