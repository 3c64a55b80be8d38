// oneDNN's contractions against plain loops in double, and the independence of their cuts.
#include "runtime/plan/calls/onednn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/base/errors.h"
#include "runtime/plugins/plugins.h"

namespace cppgen::rt {
namespace {

enum Flags : int64_t { kHasBias = 1, kHasRelu = 2, kHasAdd = 4 };

OneDnnCall<int64_t> call_of(OneDnnKind kind, int64_t flags) {
  return {kind, (flags & kHasBias) != 0, (flags & kHasRelu) != 0, (flags & kHasAdd) != 0};
}

std::vector<float> random_floats(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

// Runs the step with these parameters; buffers as onednn.h lists them, weights a constant or not.
using Inputs = std::vector<std::vector<float>>;

std::vector<float> run(const std::vector<int64_t>& params, Inputs inputs, size_t output, bool constant_weights,
                       int64_t min_chunk_size, int64_t* chunks = nullptr) {
  std::vector<float> result(output, NAN);
  std::vector<const void*> constants(inputs.size() + 1);
  if (constant_weights) constants[1] = inputs[1].data();
  const auto op =
      onednn_functions()[0].create({kOneDnnContraction, inputs.size(), 1, std::span<const void* const>(constants)});
  std::vector<int64_t> bytes;
  std::vector<void*> buffers;
  for (auto& input : inputs) {
    bytes.push_back(int64_t(input.size() * 4));
    buffers.push_back(input.data());
  }
  bytes.push_back(int64_t(output * 4));
  buffers.push_back(result.data());
  const auto task = op->bind({params, bytes, min_chunk_size});
  void* scratch = std::aligned_alloc(64, size_t(task->scratch_bytes() / 64 + 1) * 64);
  for (int64_t chunk = task->chunks() - 1; chunk >= 0; chunk--) task->run(buffers, chunk, static_cast<char*>(scratch));
  std::free(scratch);
  if (chunks) *chunks = task->chunks();
  return result;
}

void expect_near(const std::vector<float>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  double greatest = 1;
  for (double value : expected) greatest = std::max(greatest, std::abs(value));
  for (size_t i = 0; i < actual.size(); i++) ASSERT_NEAR(actual[i], expected[i], 1e-5 * greatest) << i;
}

struct ConvCase {
  const char* name;
  int64_t n, groups, ic, oc;
  std::vector<std::array<int64_t, 6>> spatial;  // in, kernel, stride, dilation, pad begin, pad end
  int64_t flags;
};

int64_t out_size(const std::array<int64_t, 6>& s) { return (s[0] + s[4] + s[5] - (s[1] - 1) * s[3] - 1) / s[2] + 1; }

std::vector<int64_t> conv_params(const ConvCase& c) {
  OneDnnCall<int64_t> call = call_of(OneDnnKind::convolution, c.flags);
  call.convolution = {c.n, c.groups, c.ic, c.oc, {}};
  for (const auto& s : c.spatial) call.convolution.spatial.push_back({s[0], out_size(s), s[1], s[2], s[3], s[4], s[5]});
  return flat_fields<int64_t>(call).integers;
}

// The meaning of a convolution, over three spatial dimensions (missing ones have size 1).
std::vector<double> conv_reference(const ConvCase& c, const std::vector<std::vector<float>>& in) {
  auto spatial = c.spatial;
  while (spatial.size() < 3) spatial.insert(spatial.begin(), {1, 1, 1, 1, 0, 0});
  const int64_t I0 = spatial[0][0], I1 = spatial[1][0], I2 = spatial[2][0];
  const int64_t O0 = out_size(spatial[0]), O1 = out_size(spatial[1]), O2 = out_size(spatial[2]);
  const int64_t K0 = spatial[0][1], K1 = spatial[1][1], K2 = spatial[2][1];
  const int64_t icg = c.ic / c.groups, ocg = c.oc / c.groups;
  std::vector<double> out;
  for (int64_t n = 0; n < c.n; n++)
    for (int64_t o0 = 0; o0 < O0; o0++)
      for (int64_t o1 = 0; o1 < O1; o1++)
        for (int64_t o2 = 0; o2 < O2; o2++)
          for (int64_t oc = 0; oc < c.oc; oc++) {
            double sum = c.flags & kHasBias ? in[2][size_t(oc)] : 0;
            for (int64_t ic = 0; ic < icg; ic++)
              for (int64_t k0 = 0; k0 < K0; k0++)
                for (int64_t k1 = 0; k1 < K1; k1++)
                  for (int64_t k2 = 0; k2 < K2; k2++) {
                    const auto at = [&](int d, int64_t o, int64_t k) {
                      return o * spatial[size_t(d)][2] - spatial[size_t(d)][4] + k * spatial[size_t(d)][3];
                    };
                    const int64_t i0 = at(0, o0, k0), i1 = at(1, o1, k1), i2 = at(2, o2, k2);
                    if (i0 < 0 || i0 >= I0 || i1 < 0 || i1 >= I1 || i2 < 0 || i2 >= I2) continue;
                    const int64_t x = (((n * I0 + i0) * I1 + i1) * I2 + i2) * c.ic + oc / ocg * icg + ic;
                    const int64_t w = (((oc * icg + ic) * K0 + k0) * K1 + k1) * K2 + k2;
                    sum += double(in[0][size_t(x)]) * double(in[1][size_t(w)]);
                  }
            if (c.flags & kHasAdd) sum += in.back()[out.size()];
            out.push_back(c.flags & kHasRelu ? std::max(0.0, sum) : sum);
          }
  return out;
}

class Convolution : public testing::TestWithParam<ConvCase> {};

TEST_P(Convolution, EqualsItsMeaningHoweverItIsCut) {
  const ConvCase& c = GetParam();
  int64_t in_positions = c.n, out_positions = c.n, taps = 1;
  for (const auto& s : c.spatial) {
    in_positions *= s[0];
    out_positions *= out_size(s);
    taps *= s[1];
  }
  std::vector<std::vector<float>> inputs{random_floats(size_t(in_positions * c.ic), 1),
                                         random_floats(size_t(c.oc * c.ic / c.groups * taps), 2)};
  if (c.flags & kHasBias) inputs.push_back(random_floats(size_t(c.oc), 3));
  const auto count = size_t(out_positions * c.oc);
  if (c.flags & kHasAdd) inputs.push_back(random_floats(count, 4));
  const std::vector<double> expected = conv_reference(c, inputs);
  int64_t whole = 0, cut = 0;
  expect_near(run(conv_params(c), inputs, count, true, int64_t(1) << 40, &whole), expected);
  expect_near(run(conv_params(c), inputs, count, true, 1, &cut), expected);
  EXPECT_EQ(whole, 1);
  RecordProperty("chunks", std::to_string(cut));
}

INSTANTIATE_TEST_SUITE_P(
    OneDnn, Convolution,
    testing::Values(
        ConvCase{"first_layer", 1, 1, 3, 32, {{56, 7, 2, 1, 3, 3}, {56, 7, 2, 1, 3, 3}}, kHasBias | kHasRelu},
        ConvCase{
            "three_by_three", 2, 1, 32, 48, {{28, 3, 1, 1, 1, 1}, {28, 3, 1, 1, 1, 1}}, kHasBias | kHasRelu | kHasAdd},
        ConvCase{"pointwise", 3, 1, 64, 96, {{14, 1, 1, 1, 0, 0}, {14, 1, 1, 1, 0, 0}}, kHasAdd},
        ConvCase{"strided_pointwise", 1, 1, 64, 64, {{29, 1, 2, 1, 0, 0}, {29, 1, 2, 1, 0, 0}}, 0},
        ConvCase{"depthwise", 1, 64, 64, 64, {{56, 3, 2, 1, 1, 1}, {56, 3, 2, 1, 1, 1}}, kHasBias},
        ConvCase{"grouped", 1, 4, 64, 32, {{28, 3, 1, 1, 1, 1}, {28, 3, 1, 1, 1, 1}}, kHasRelu},
        ConvCase{"dilated_uneven_padding", 1, 1, 16, 24, {{31, 3, 2, 3, 2, 5}, {40, 5, 1, 2, 1, 0}}, kHasBias},
        ConvCase{"one_dimension", 2, 1, 20, 30, {{400, 5, 1, 1, 2, 2}}, kHasBias},
        ConvCase{
            "three_dimensions", 1, 1, 8, 16, {{12, 3, 1, 1, 1, 1}, {14, 3, 2, 1, 1, 1}, {16, 3, 1, 1, 1, 1}}, kHasRelu},
        ConvCase{"mostly_padding", 1, 1, 16, 16, {{2, 3, 1, 1, 9, 9}, {64, 3, 1, 1, 1, 1}}, kHasBias}),
    [](const auto& info) { return info.param.name; });

TEST(OneDnnConvolution, ImagesAndRowsAreCut) {
  const ConvCase big{"big", 1, 1, 64, 64, {{56, 3, 1, 1, 1, 1}, {56, 3, 1, 1, 1, 1}}, 0};
  int64_t chunks = 0;
  const auto inputs = std::vector{random_floats(56 * 56 * 64, 1), random_floats(64 * 64 * 9, 2)};
  run(conv_params(big), inputs, 56 * 56 * 64, true, 512, &chunks);
  EXPECT_GE(chunks, 16);
}

TEST(OneDnnConvolution, Refusals) {
  const ConvCase c{"c", 1, 1, 8, 8, {{8, 3, 1, 1, 1, 1}, {8, 3, 1, 1, 1, 1}}, 0};
  const auto inputs = std::vector{random_floats(8 * 8 * 8, 1), random_floats(8 * 8 * 9, 2)};
  EXPECT_THROW(run(conv_params(c), inputs, 512, false, 1), UserError);  // weights are no constant
  EXPECT_THROW(run(conv_params(c), inputs, 511, true, 1), UserError);
  for (size_t i = 0; i < conv_params(c).size(); i++) {
    auto params = conv_params(c);
    params[i] = -1;
    EXPECT_THROW(run(params, inputs, 512, true, 1), UserError) << i;
  }
  EXPECT_THROW(run({0, 0, 0, 0, 1}, inputs, 512, true, 1), UserError);
  EXPECT_THROW(run({7, 0, 0, 0, 1}, inputs, 512, true, 1), UserError);
}

struct MatmulCase {
  const char* name;
  int64_t batch0, batch1, m, n, k;
  bool a_transposed, b_transposed, b_batched, constant;
  int64_t flags;
};

class Matmul : public testing::TestWithParam<MatmulCase> {};

TEST_P(Matmul, EqualsItsMeaningHoweverItIsCut) {
  const MatmulCase& c = GetParam();
  const int64_t batches = c.batch0 * c.batch1, bb = c.b_batched ? c.k * c.n : 0;
  OneDnnCall<int64_t> call = call_of(OneDnnKind::matmul, c.flags);
  auto& p = call.matmul;
  p.batch0 = c.batch0, p.batch1 = c.batch1, p.m = c.m, p.n = c.n, p.k = c.k;
  p.a_batch0 = c.batch1 * c.m * c.k, p.a_batch1 = c.m * c.k;
  p.a_m = c.a_transposed ? 1 : c.k, p.a_k = c.a_transposed ? c.m : 1;
  p.b_batch0 = c.batch1 * bb, p.b_batch1 = bb;
  p.b_k = c.b_transposed ? 1 : c.n, p.b_n = c.b_transposed ? c.k : 1;
  p.out_batch0 = c.batch1 * c.m * c.n, p.out_batch1 = c.m * c.n, p.out_m = c.n;
  const std::vector<int64_t> params = flat_fields<int64_t>(call).integers;
  std::vector<std::vector<float>> in{random_floats(size_t(batches * c.m * c.k), 1),
                                     random_floats(size_t((c.b_batched ? batches : 1) * c.k * c.n), 2)};
  if (c.flags & kHasBias) in.push_back(random_floats(size_t(c.n), 3));
  if (c.flags & kHasAdd) in.push_back(random_floats(size_t(batches * c.m * c.n), 4));
  std::vector<double> expected;
  for (int64_t b = 0; b < batches; b++)
    for (int64_t i = 0; i < c.m; i++)
      for (int64_t j = 0; j < c.n; j++) {
        double sum = c.flags & kHasBias ? in[2][size_t(j)] : 0;
        for (int64_t k = 0; k < c.k; k++)
          sum += double(in[0][size_t(b * c.m * c.k + i * p.a_m + k * p.a_k)]) *
                 double(in[1][size_t(b * bb + k * p.b_k + j * p.b_n)]);
        if (c.flags & kHasAdd) sum += in.back()[expected.size()];
        expected.push_back(c.flags & kHasRelu ? std::max(0.0, sum) : sum);
      }
  int64_t whole = 0;
  expect_near(run(params, in, expected.size(), c.constant, int64_t(1) << 40, &whole), expected);
  expect_near(run(params, in, expected.size(), c.constant, 1), expected);
  EXPECT_EQ(whole, 1);
}

INSTANTIATE_TEST_SUITE_P(
    OneDnn, Matmul,
    testing::Values(MatmulCase{"plain", 1, 1, 128, 96, 200, false, false, false, false, kHasBias},
                    MatmulCase{"constant", 1, 1, 128, 512, 256, false, false, false, true, kHasBias | kHasRelu},
                    MatmulCase{"constant_transposed", 1, 1, 100, 256, 300, false, true, false, true,
                               kHasBias | kHasAdd},
                    MatmulCase{"one_row", 1, 1, 1, 4096, 1024, false, true, false, true, kHasBias | kHasRelu | kHasAdd},
                    MatmulCase{"attention", 2, 6, 64, 64, 32, false, true, true, false, 0},
                    MatmulCase{"transposed_left", 1, 3, 70, 40, 50, true, false, true, false, kHasAdd},
                    MatmulCase{"batched_constant", 2, 2, 33, 70, 20, false, false, true, true, 0},
                    MatmulCase{"shared_right", 3, 1, 50, 128, 64, false, false, false, true, kHasBias},
                    MatmulCase{"one_element", 1, 1, 1, 1, 1, false, false, false, false, 0}),
    [](const auto& info) { return info.param.name; });

TEST(MatmulParameters, EmptyAndRefused) {
  OneDnnCall<int64_t> call = call_of(OneDnnKind::matmul, 0);
  auto& p = call.matmul;
  p = {1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const auto run_call = [&](const Inputs& inputs, size_t output) {
    return run(flat_fields<int64_t>(call).integers, inputs, output, false, 1);
  };
  EXPECT_TRUE(run_call({{}, {1}}, 0).empty());
  p.m = 2;
  EXPECT_THROW(run_call({{1}, {1}}, 2), UserError);  // the left operand is too short
  p.k = 0;
  EXPECT_THROW(run_call({{1, 2}, {1}}, 2), UserError);
  std::vector<int64_t> few = flat_fields<int64_t>(call).integers;
  few.pop_back();
  EXPECT_THROW(run(few, {{1, 2}, {1}}, 2, false, 1), UserError);
}

}  // namespace
}  // namespace cppgen::rt
