// Attention and rotary embeddings of both domains against plain loops in double precision.
#include "tests/ops/attention_reference.h"

namespace cppgen::ops_test {
namespace {

double plain(int64_t, int64_t, int64_t, int64_t, double x) { return x; }

NodeCase node(std::map<std::string, Attribute> attributes, std::vector<HostTensor> inputs,
              std::vector<bool> absent = {}, int outputs = 1) {
  return {"Attention", 24, std::move(attributes), std::move(inputs), {}, std::move(absent), outputs};
}

TEST(Attention, HeadsApart) {
  const Sizes s{2, 4, 2, 3, 5, 4, 6};
  const auto q = wave({2, 4, 3, 4}, 0), k = wave({2, 2, 5, 4}, 1), v = wave({2, 2, 5, 6}, 2);
  const auto out = run(node({}, {q, k, v}));
  ASSERT_EQ(out[0].dims, (Dims{2, 4, 3, 6}));
  expect_attention(s, 0.5, apart(q), apart(k), apart(v), plain, apart(out[0]));
}

TEST(Attention, HeadsBesideScaledAndCapped) {
  const Sizes s{2, 4, 2, 3, 5, 4, 6};
  const auto q = wave({2, 3, 16}, 0), k = wave({2, 5, 8}, 1), v = wave({2, 5, 12}, 2);
  const auto out = run(node(
      {{"q_num_heads", integer(4)}, {"kv_num_heads", integer(2)}, {"scale", 0.25f}, {"softcap", 0.5f}}, {q, k, v}));
  ASSERT_EQ(out[0].dims, (Dims{2, 3, 24}));
  expect_attention(
      s, 0.25, beside(q, 4), beside(k, 2), beside(v, 2),
      [](auto, auto, auto, auto, double x) { return std::tanh(x / 0.5) * 0.5; }, beside(out[0], 4));
}

TEST(Attention, Masks) {
  const Sizes s{1, 2, 2, 3, 5, 4, 4};
  const auto q = wave({1, 2, 3, 4}, 0), k = wave({1, 2, 5, 4}, 1), v = wave({1, 2, 5, 4}, 2), mask = wave({3, 5}, 3);
  const auto sees = tensor<bool>({1, 1, 5}, {true, false, true, true, false});
  expect_attention(
      s, 0.5, apart(q), apart(k), apart(v),
      [&](auto, auto, int64_t i, int64_t j, double x) { return x + mask.as<float>()[i * 5 + j]; },
      apart(run(node({}, {q, k, v, mask}))[0]));
  expect_attention(
      s, 0.5, apart(q), apart(k), apart(v),
      [&](auto, auto, auto, int64_t j, double x) { return j == 1 || j == 4 ? -INFINITY : x; },
      apart(run(node({}, {q, k, v, sees}))[0]));
}

TEST(Attention, RowsThatSeeNothingAreZeros) {
  const auto q = wave({1, 1, 2, 4}, 0), k = wave({1, 1, 3, 4}, 1), v = wave({1, 1, 3, 4}, 2);
  const auto bools = tensor<bool>({2, 3}, {false, false, false, true, false, true});
  const auto floats = tensor<float>({2, 3}, {-INFINITY, -INFINITY, -INFINITY, 0, -INFINITY, 0});
  for (const auto& mask : {bools, floats}) {
    const std::map<std::string, Attribute> weights{{"qk_matmul_output_mode", integer(3)}};
    const auto out = run(node(weights, {q, k, v, mask}, {false, false, false, false}, 4));
    for (int64_t i = 0; i < 8; i++) EXPECT_EQ(out[0].as<float>()[i] == 0, i < 4) << i;
    for (int64_t i = 0; i < 6; i++) EXPECT_EQ(out[3].as<float>()[i] == 0, i < 3 || i == 4) << i;
  }
}

TEST(Attention, KeysBehindAMaskAreHidden) {
  const Sizes s{1, 2, 2, 3, 5, 4, 4};
  const auto q = wave({1, 2, 3, 4}, 0), k = wave({1, 2, 5, 4}, 1), v = wave({1, 2, 5, 4}, 2), mask = wave({3, 4}, 3);
  expect_attention(
      s, 0.5, apart(q), apart(k), apart(v),
      [&](auto, auto, int64_t i, int64_t j, double x) { return j < 4 ? x + mask.as<float>()[i * 4 + j] : -INFINITY; },
      apart(run(node({}, {q, k, v, mask}))[0]));
  NodeCase before = node({}, {q, k, v, mask});
  before.opset = 23;
  EXPECT_NE(error_of(before).find("do not broadcast"), std::string::npos) << error_of(before);
}

TEST(Attention, CausalWithACache) {
  const Sizes s{2, 2, 2, 3, 7, 4, 4};
  const auto q = wave({2, 2, 3, 4}, 0), k = wave({2, 2, 3, 4}, 1), v = wave({2, 2, 3, 4}, 2);
  const auto past_k = wave({2, 2, 4, 4}, 3), past_v = wave({2, 2, 4, 4}, 4), none = ramp({1});
  const auto out = run(
      node({{"is_causal", integer(1)}}, {q, k, v, none, past_k, past_v}, {false, false, false, true, false, false}, 3));
  ASSERT_EQ(out[1].dims, (Dims{2, 2, 7, 4}));
  const auto both = [](const HostTensor& past, const HostTensor& own) {
    return [&past, &own](int64_t b, int64_t h, int64_t j, int64_t d) {
      return j < 4 ? apart(past)(b, h, j, d) : apart(own)(b, h, j - 4, d);
    };
  };
  const auto causal = [](auto, auto, int64_t i, int64_t j, double x) { return j <= i + 4 ? x : -INFINITY; };
  expect_attention(s, 0.5, apart(q), both(past_k, k), both(past_v, v), causal, apart(out[0]));
  expect_attention(s, 0.5, apart(q), apart(out[1]), apart(out[2]), causal, apart(out[0]));
}

TEST(Attention, KeysThatArePaddingInABatch) {
  const Sizes s{2, 2, 2, 2, 5, 4, 4};
  const auto q = wave({2, 2, 2, 4}, 0), k = wave({2, 2, 5, 4}, 1), v = wave({2, 2, 5, 4}, 2), none = ramp({1});
  const auto valid = tensor<int64_t>({2}, {3, 5});
  const auto out = run(node({{"is_causal", integer(1)}}, {q, k, v, none, none, none, valid},
                            {false, false, false, true, true, true, false}));
  expect_attention(
      s, 0.5, apart(q), apart(k), apart(v),
      [](int64_t b, auto, int64_t i, int64_t j, double x) { return j <= i + (b ? 5 : 3) - 2 ? x : -INFINITY; },
      apart(out[0]));
}

// The products, these capped, these masked, too, and the softmax.
TEST(Attention, WhatComesBeforeTheResultIsAnOutput) {
  const auto q = wave({1, 2, 3, 4}, 0), k = wave({1, 2, 5, 4}, 1), v = wave({1, 2, 5, 4}, 2), mask = wave({3, 5}, 3);
  const auto of_mode = [&](int64_t mode) {
    return run(node({{"qk_matmul_output_mode", integer(mode)}, {"softcap", 0.5f}}, {q, k, v, mask}, {}, 4))[3];
  };
  const auto products = of_mode(0), capped = of_mode(1), masked = of_mode(2), weights = of_mode(3);
  ASSERT_EQ(weights.dims, (Dims{1, 2, 3, 5}));
  double sum = 0;
  for (int64_t j = 0; j < 5; j++) {
    double x = 0;
    for (int64_t d = 0; d < 4; d++) x += apart(q)(0, 1, 2, d) * apart(k)(0, 1, j, d) * 0.5;
    const double bounded = 0.5 * std::tanh(x / 0.5), added = double(mask.as<float>()[2 * 5 + j]);
    EXPECT_NEAR(apart(products)(0, 1, 2, j), x, 1e-6);
    EXPECT_NEAR(apart(capped)(0, 1, 2, j), bounded, 1e-6);
    EXPECT_NEAR(apart(masked)(0, 1, 2, j), bounded + added, 1e-6);
    sum += apart(weights)(0, 1, 2, j);
  }
  EXPECT_NEAR(sum, 1, 1e-6);
}

TEST(Attention, RefusesModesThatDoNotExist) {
  const auto x = wave({1, 2, 3, 4}, 0);
  const std::string error = error_of(node({{"qk_matmul_output_mode", integer(4)}}, {x, x, x}, {}, 4));
  EXPECT_NE(error.find("qk_matmul_output_mode is 4; allowed are 0 to 3"), std::string::npos) << error;
}

TEST(MultiHeadAttention, WithBiasesAndPadding) {
  const Sizes s{2, 2, 2, 3, 5, 4, 4};
  const auto q = wave({2, 3, 8}, 0), k = wave({2, 5, 8}, 1), v = wave({2, 5, 8}, 2), bias = wave({24}, 3),
             more = wave({1, 2, 3, 5}, 4);
  const auto there = tensor<int32_t>({2, 5}, {1, 1, 1, 0, 0, 1, 1, 1, 1, 1});
  const auto out = run(microsoft("MultiHeadAttention", {{"num_heads", integer(2)}}, {q, k, v, bias, there, more}));
  const auto with_bias = [&](const HostTensor& t, int64_t offset) {
    return [&, offset](int64_t b, int64_t h, int64_t i, int64_t d) {
      return beside(t, 2)(b, h, i, d) + bias.as<float>()[offset + h * 4 + d];
    };
  };
  expect_attention(
      s, 0.5, with_bias(q, 0), with_bias(k, 8), with_bias(v, 16),
      [&](int64_t b, int64_t h, int64_t i, int64_t j, double x) {
        return x + apart(more)(0, h, i, j) + (b == 0 && j > 2 ? -10000 : 0);
      },
      beside(out[0], 2));
}

TEST(MultiHeadAttention, CausalWithACache) {
  const Sizes s{1, 2, 2, 3, 7, 4, 4};
  const auto q = wave({1, 3, 8}, 0), k = wave({1, 3, 8}, 1), v = wave({1, 3, 8}, 2), past_k = wave({1, 2, 4, 4}, 3),
             past_v = wave({1, 2, 4, 4}, 4), none = ramp({1});
  const auto out = run(microsoft("MultiHeadAttention", {{"num_heads", integer(2)}, {"unidirectional", integer(1)}},
                                 {q, k, v, none, none, none, past_k, past_v},
                                 {false, false, false, true, true, true, false, false}, 3));
  EXPECT_EQ(apart(out[1])(0, 1, 2, 3), apart(past_k)(0, 1, 2, 3));
  EXPECT_EQ(apart(out[2])(0, 1, 5, 3), beside(v, 2)(0, 1, 1, 3));
  expect_attention(
      s, 0.5, beside(q, 2), apart(out[1]), apart(out[2]),
      [](auto, auto, int64_t i, int64_t j, double x) { return j <= i + 4 ? x : -INFINITY; }, beside(out[0], 2));
}

TEST(MicrosoftAttention, ProjectsOneInput) {
  const Sizes s{2, 2, 2, 3, 3, 4, 4};
  const auto x = wave({2, 3, 6}, 0), weights = wave({6, 24}, 1), bias = wave({24}, 2);
  const auto out = run(microsoft("Attention", {{"num_heads", integer(2)}}, {x, weights, bias}));
  const auto projected = [&](int64_t offset) {
    return [&, offset](int64_t b, int64_t h, int64_t i, int64_t d) {
      const int64_t column = offset + h * 4 + d;
      double sum = bias.as<float>()[column];
      for (int64_t e = 0; e < 6; e++) sum += x.as<float>()[(b * 3 + i) * 6 + e] * weights.as<float>()[e * 24 + column];
      return sum;
    };
  };
  expect_attention(s, 0.5, projected(0), projected(8), projected(16), plain, beside(out[0], 2));
}

struct RotaryRow {
  bool microsoft, interleaved, apart, positions;
  int64_t turned;  // features; 0: all
};

void expect_rotary(const RotaryRow& row) {
  const int64_t heads = 2, length = 3, features = 8, turned = row.turned ? row.turned : features, half = turned / 2;
  const auto x = row.apart ? wave({2, heads, length, features}, 0) : wave({2, length, heads * features}, 0);
  const auto positions = tensor<int64_t>({2, length}, {4, 0, 2, 1, 3, 4});
  const Dims cache = row.positions ? Dims{5, half} : Dims{2, length, half};
  const auto cosine = wave(cache, 1), sine = wave(cache, 2);
  std::map<std::string, Attribute> attributes{{"interleaved", integer(row.interleaved)}, {"num_heads", integer(heads)}};
  if (row.turned) attributes["rotary_embedding_dim"] = integer(row.turned);
  NodeCase c{"RotaryEmbedding", 23, attributes, {x, cosine, sine}};
  if (row.positions) c.inputs.push_back(positions);
  if (row.microsoft) c = microsoft("RotaryEmbedding", attributes, {x, positions, cosine, sine});
  const auto out = run(c)[0];
  ASSERT_EQ(out.dims, x.dims);
  const At in = row.apart ? apart(x) : beside(x, heads), result = row.apart ? apart(out) : beside(out, heads);
  for (int64_t b = 0; b < 2; b++)
    for (int64_t h = 0; h < heads; h++)
      for (int64_t i = 0; i < length; i++) {
        for (int64_t p = 0; p < half; p++) {
          const int64_t at = (row.positions ? positions.as<int64_t>()[b * length + i] : b * length + i) * half + p;
          const int64_t first = row.interleaved ? 2 * p : p, second = row.interleaved ? 2 * p + 1 : p + half;
          const double c0 = cosine.as<float>()[at], s0 = sine.as<float>()[at], u = in(b, h, i, first),
                       w = in(b, h, i, second);
          ASSERT_NEAR(result(b, h, i, first), c0 * u - s0 * w, 1e-6);
          ASSERT_NEAR(result(b, h, i, second), s0 * u + c0 * w, 1e-6);
        }
        for (int64_t d = turned; d < features; d++) ASSERT_EQ(result(b, h, i, d), in(b, h, i, d));
      }
}

TEST(RotaryEmbedding, TurnsPairs) {
  for (const RotaryRow& row : {RotaryRow{false, false, true, true, 0}, RotaryRow{false, true, true, true, 0},
                               RotaryRow{false, false, false, true, 4}, RotaryRow{false, true, false, false, 4},
                               RotaryRow{true, false, false, true, 0}, RotaryRow{true, true, true, true, 0}}) {
    SCOPED_TRACE(row.microsoft);
    expect_rotary(row);
  }
}

}  // namespace
}  // namespace cppgen::ops_test
