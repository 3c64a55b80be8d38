// Products and convolutions against plain loops, and the roles that the schedule relies on.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

void expect_near(const HostTensor& actual, const Dims& dims, const std::vector<double>& expected) {
  ASSERT_EQ(actual.dims, dims);
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual.as<float>()[i], expected[i], 1e-4 * (1 + std::abs(expected[i]))) << "element " << i;
  }
}

// --- MatMul

struct MatMulRow {
  Dims a, b, result;
  std::string roles;  // b, r, c, d
};

const MatMulRow kMatMul[] = {
    {{3, 4}, {4, 5}, {3, 5}, "rcd"},
    {{4}, {4, 5}, {5}, "cd"},
    {{3, 4}, {4}, {3}, "rd"},
    {{4}, {4}, {}, "d"},
    {{2, 3, 4}, {4, 5}, {2, 3, 5}, "rrcd"},
    {{2, 3, 4}, {2, 4, 5}, {2, 3, 5}, "brcd"},
    {{2, 1, 3, 4}, {1, 6, 4, 5}, {2, 6, 3, 5}, "rbrcd"},
    {{1, 2, 3, 4}, {1, 2, 4, 5}, {1, 2, 3, 5}, "bbrcd"},
    {{1, 7}, {7, 1}, {1, 1}, "rcd"},
};

std::string roles_of(const ir::LoopNest& nest) {
  std::string out;
  for (ir::AxisRole r : nest.roles) out += "-brcd"[int(r)];
  return out;
}

std::vector<double> matmul_reference(const Dims& a, const float* x, const Dims& b, const float* y, const Dims& result) {
  Dims pa = a, pb = b;
  if (a.size() == 1) pa.insert(pa.begin(), 1);
  if (b.size() == 1) pb.push_back(1);
  int64_t m = pa[pa.size() - 2], k = pa.back(), n = pb.back();
  Dims batch(result.begin(), result.end() - (a.size() > 1) - (b.size() > 1));
  int64_t batches = 1;
  for (int64_t d : batch) batches *= d;
  auto offset = [&](const Dims& p, int64_t flat, int64_t matrix) {
    int64_t out = 0, stride = 1;
    for (size_t d = batch.size(), own = p.size() - 2; d-- > 0 && own-- > 0; flat /= batch[d]) {
      out += (p[own] == 1 ? 0 : flat % batch[d]) * stride;
      stride *= p[own];
    }
    return out * matrix;
  };
  std::vector<double> out;
  for (int64_t g = 0; g < batches; ++g) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += double(x[offset(pa, g, m * k) + i * k + l]) * y[offset(pb, g, k * n) + l * n + j];
        out.push_back(sum);
      }
    }
  }
  return out;
}

TEST(MatMul, ShapesAndRoles) {
  for (const MatMulRow& row : kMatMul) {
    HostTensor a = ramp(row.a), b = ramp(row.b, 13);
    NodeCase c{"MatMul", 13, {}, {a, b}};
    SCOPED_TRACE(testing::PrintToString(row.a) + testing::PrintToString(row.b));
    expect_near(run(c)[0], row.result, matmul_reference(row.a, a.as<float>(), row.b, b.as<float>(), row.result));
    Graph g = graph_of(c);
    ir::Program p = program_of(g);
    ASSERT_EQ(p.statements.size(), 1u);
    EXPECT_EQ(roles_of(std::get<ir::LoopNest>(p.statements[0])), row.roles);
  }
}

TEST(Gemm, TransposesScalesAndAdds) {
  for (int flags = 0; flags < 4; ++flags) {
    bool ta = flags & 1, tb = flags & 2;
    HostTensor a = ramp(ta ? Dims{4, 3} : Dims{3, 4}), b = ramp(tb ? Dims{5, 4} : Dims{4, 5}, 13), bias = ramp({5}, 7);
    std::vector<double> expected;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 5; ++j) {
        double sum = 0;
        for (int l = 0; l < 4; ++l)
          sum += a.as<float>()[ta ? l * 3 + i : i * 4 + l] * b.as<float>()[tb ? j * 4 + l : l * 5 + j];
        expected.push_back(0.5 * sum + 2 * bias.as<float>()[j]);
      }
    }
    NodeCase c{
        "Gemm", 13, {{"transA", integer(ta)}, {"transB", integer(tb)}, {"alpha", 0.5f}, {"beta", 2.0f}}, {a, b, bias}};
    expect_near(run(c)[0], {3, 5}, expected);
  }
}

// --- Conv

struct ConvRow {
  Dims x, w;
  int64_t group = 1;
  Dims strides = {}, pads = {}, dilations = {};
  std::string auto_pad = "";
  bool contraction = true;
};

const ConvRow kConv[] = {
    {{2, 3, 7}, {4, 3, 3}},
    {{1, 4, 6, 5}, {6, 4, 3, 2}, 1, {2, 1}, {1, 0, 1, 1}},
    {{1, 18, 4, 4}, {6, 9, 3, 3}, 2, {}, {1, 1, 1, 1}},
    {{1, 4, 6, 6}, {6, 2, 3, 3}, 2, {}, {1, 1, 1, 1}, {}, "", false},
    {{1, 4, 7, 7}, {4, 1, 3, 3}, 4, {2, 2}, {1, 1, 1, 1}, {}, "", false},
    {{1, 2, 9, 9}, {3, 2, 3, 3}, 1, {}, {}, {2, 2}},
    {{1, 2, 5, 6}, {3, 2, 2, 3}, 1, {2, 2}, {}, {}, "SAME_UPPER"},
    {{1, 2, 5, 6}, {3, 2, 2, 2}, 1, {1, 2}, {}, {}, "SAME_LOWER"},
    {{1, 2, 4, 4, 3}, {3, 2, 2, 2, 2}, 1, {}, {1, 0, 0, 0, 1, 1}},
    {{1, 8, 3, 3}, {5, 8, 1, 1}},
};

// Output extents and begin pads of one axis as ONNX defines them.
void fit(const ConvRow& r, size_t d, int64_t& out, int64_t& begin) {
  size_t axes = r.x.size() - 2;
  int64_t in = r.x[d + 2], stride = r.strides.empty() ? 1 : r.strides[d],
          dilation = r.dilations.empty() ? 1 : r.dilations[d];
  int64_t reach = (r.w[d + 2] - 1) * dilation + 1;
  if (r.auto_pad.empty()) {
    begin = r.pads.empty() ? 0 : r.pads[d];
    out = (in + begin + (r.pads.empty() ? 0 : r.pads[d + axes]) - reach) / stride + 1;
    return;
  }
  out = (in + stride - 1) / stride;
  int64_t total = std::max<int64_t>(0, (out - 1) * stride + reach - in);
  begin = r.auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
}

std::vector<double> conv_reference(const ConvRow& r, const float* x, const float* w, Dims& dims) {
  size_t axes = r.x.size() - 2;
  dims = {r.x[0], r.w[0]};
  Dims begin(axes);
  int64_t positions = 1, taps = 1, in_plane = 1;
  for (size_t d = 0; d < axes; ++d) {
    int64_t out;
    fit(r, d, out, begin[d]);
    dims.push_back(out);
    positions *= out, taps *= r.w[d + 2], in_plane *= r.x[d + 2];
  }
  int64_t per_group_in = r.w[1], per_group_out = r.w[0] / r.group;
  std::vector<double> y;
  for (int64_t n = 0; n < r.x[0]; ++n) {
    for (int64_t oc = 0; oc < r.w[0]; ++oc) {
      for (int64_t o = 0; o < positions; ++o) {
        double sum = 0;
        for (int64_t ic = 0; ic < per_group_in; ++ic) {
          for (int64_t t = 0; t < taps; ++t) {
            int64_t at = 0, stride = 1, rest_o = o, rest_t = t;
            bool inside = true;
            for (size_t d = axes; d-- > 0; rest_o /= dims[d + 2], rest_t /= r.w[d + 2]) {
              int64_t p = (rest_o % dims[d + 2]) * (r.strides.empty() ? 1 : r.strides[d]) - begin[d] +
                          (rest_t % r.w[d + 2]) * (r.dilations.empty() ? 1 : r.dilations[d]);
              inside = inside && p >= 0 && p < r.x[d + 2];
              at += p * stride, stride *= r.x[d + 2];
            }
            int64_t channel = oc / per_group_out * per_group_in + ic;
            if (inside)
              sum += double(x[(n * r.x[1] + channel) * in_plane + at]) * w[(oc * per_group_in + ic) * taps + t];
          }
        }
        y.push_back(sum);
      }
    }
  }
  return y;
}

TEST(Conv, FollowsPlainLoops) {
  for (const ConvRow& row : kConv) {
    NodeCase c{"Conv", 11, {{"group", integer(row.group)}}, {ramp(row.x), ramp(row.w, 13), ramp({row.w[0]}, 5)}};
    if (!row.strides.empty()) c.attributes["strides"] = row.strides;
    if (!row.pads.empty()) c.attributes["pads"] = row.pads;
    if (!row.dilations.empty()) c.attributes["dilations"] = row.dilations;
    if (!row.auto_pad.empty()) c.attributes["auto_pad"] = row.auto_pad;
    SCOPED_TRACE(testing::PrintToString(row.x) + testing::PrintToString(row.w));
    Dims dims;
    std::vector<double> expected = conv_reference(row, c.inputs[0].as<float>(), c.inputs[1].as<float>(), dims);
    int64_t plane = 1;
    for (size_t d = 2; d < dims.size(); ++d) plane *= dims[d];
    for (size_t i = 0; i < expected.size(); ++i) expected[i] += c.inputs[2].as<float>()[i / plane % row.w[0]];
    expect_near(run(c)[0], dims, expected);
    Graph g = graph_of(c);
    ir::Program p = program_of(g);
    ASSERT_EQ(p.statements.size(), 2u) << "the product and the bias";
    EXPECT_EQ(std::get<ir::LoopNest>(p.statements[0]).is_contraction(), row.contraction);
  }
}

TEST(Conv, GuardsOnlyWhatPaddingCanHit) {
  NodeCase c{"Conv", 11, {{"pads", ints({0, 1, 0, 1})}}, {ramp({1, 2, 5, 5}), ramp({3, 2, 3, 3})}};
  Graph g = graph_of(c);
  ir::Program p = program_of(g);
  const ir::Expr lhs = std::get<ir::LoopNest>(p.statements[0]).reductions[0].value->args[0];
  EXPECT_EQ(lhs->guards.size(), 1u);
}

// A transposed convolution is the gradient of a convolution: <conv(x, w), y> = <x, transposed(y, w)>.
TEST(ConvTranspose, IsTheAdjointOfConv) {
  for (int64_t group : {1, 2}) {
    std::map<std::string, Attribute> attributes = {{"group", integer(group)},
                                                   {"strides", ints({2, 1})},
                                                   {"pads", ints({1, 0, 1, 2})},
                                                   {"dilations", ints({1, 2})}};
    HostTensor x = ramp({2, 4, 7, 6}), w = ramp({6, 4 / group, 3, 2}, 13);
    HostTensor y = run({"Conv", 11, attributes, {x, w}})[0];
    HostTensor z = ramp(y.dims, 11);
    HostTensor back = run({"ConvTranspose", 11, attributes, {z, w}})[0];
    ASSERT_EQ(back.dims, x.dims);
    double left = 0, right = 0;
    for (int64_t i = 0; i < y.elements(); ++i) left += double(y.as<float>()[i]) * z.as<float>()[i];
    for (int64_t i = 0; i < x.elements(); ++i) right += double(x.as<float>()[i]) * back.as<float>()[i];
    EXPECT_NEAR(left, right, 1e-3 * (1 + std::abs(left)));
  }
}

// The sums over positions and taps that ONNX defines, in double, for two axes.
std::vector<double> transposed_by_definition(const HostTensor& x, const HostTensor& w, int64_t groups,
                                             const std::vector<int64_t>& strides, const std::vector<int64_t>& pads,
                                             const std::vector<int64_t>& dilations, const HostTensor& y) {
  std::vector<double> sums(size_t(y.elements()));
  const int64_t in = x.dims[1] / groups, out = w.dims[1];
  for (int64_t n = 0; n < x.dims[0]; n++)
    for (int64_t c = 0; c < x.dims[1]; c++)
      for (int64_t m = 0; m < out; m++)
        for (int64_t i = 0; i < x.dims[2] * x.dims[3]; i++)
          for (int64_t k = 0; k < w.dims[2] * w.dims[3]; k++) {
            const int64_t row = i / x.dims[3] * strides[0] + k / w.dims[3] * dilations[0] - pads[0],
                          column = i % x.dims[3] * strides[1] + k % w.dims[3] * dilations[1] - pads[1];
            if (row < 0 || row >= y.dims[2] || column < 0 || column >= y.dims[3]) continue;
            const int64_t channel = c / in * out + m;
            sums[size_t(((n * y.dims[1] + channel) * y.dims[2] + row) * y.dims[3] + column)] +=
                double(x.as<float>()[(n * x.dims[1] + c) * x.dims[2] * x.dims[3] + i]) *
                w.as<float>()[(c * out + m) * w.dims[2] * w.dims[3] + k];
          }
  return sums;
}

struct TransposedCase {
  std::vector<int64_t> x, w, strides, pads;
  int64_t group = 1;
  std::vector<int64_t> dilations = {1, 1}, output_padding = {0, 0};
};

// Constant weights may be divided into phases, of which each is a convolution; others are not.
TEST(ConvTranspose, ComputesTheSumsOfItsDefinition) {
  const std::vector<TransposedCase> cases = {
      {{1, 3, 5, 6}, {3, 2, 4, 4}, {2, 2}, {1, 1, 1, 1}},
      {{2, 3, 4, 5}, {3, 2, 2, 2}, {2, 2}, {0, 0, 0, 0}},
      {{1, 3, 1, 1}, {3, 2, 4, 4}, {2, 2}, {1, 1, 1, 1}},
      {{1, 3, 4, 3}, {3, 2, 4, 2}, {2, 2}, {0, 0, 0, 0}},
      {{1, 3, 4, 5}, {3, 2, 6, 6}, {2, 2}, {2, 2, 2, 2}},
      {{1, 3, 4, 5}, {3, 2, 4, 4}, {2, 2}, {1, 1, 2, 2}},  // an odd number of outputs
      {{1, 3, 4, 5}, {3, 2, 4, 4}, {2, 2}, {1, 1, 1, 1}, 1, {1, 1}, {1, 1}},
      {{1, 3, 4, 5}, {3, 2, 4, 4}, {2, 2}, {0, 0, 0, 0}, 1, {1, 1}, {1, 0}},
      {{1, 3, 4, 5}, {3, 2, 6, 3}, {3, 3}, {3, 0, 3, 0}},
      {{1, 3, 4, 5}, {3, 2, 6, 3}, {3, 3}, {1, 1, 1, 1}},
      {{1, 3, 5, 6}, {3, 2, 3, 3}, {1, 1}, {1, 1, 1, 1}},
      {{1, 3, 5, 6}, {3, 2, 3, 3}, {1, 1}, {2, 2, 2, 2}},
      {{1, 3, 5, 6}, {3, 2, 3, 3}, {1, 1}, {2, 3, 3, 2}},  // more is cut off than the last tap reaches
      {{1, 3, 5, 6}, {3, 2, 3, 2}, {1, 1}, {1, 0, 0, 1}, 1, {2, 3}},
      {{1, 3, 5, 6}, {3, 2, 3, 4}, {1, 2}, {1, 1, 1, 1}},
      {{1, 18, 3, 4}, {18, 10, 4, 4}, {2, 2}, {1, 1, 1, 1}, 2},
      {{1, 18, 3, 4}, {18, 10, 3, 3}, {1, 1}, {1, 1, 1, 1}, 2},
      {{1, 4, 3, 4}, {4, 1, 4, 4}, {2, 2}, {1, 1, 1, 1}, 4},
      {{1, 3, 4, 4}, {3, 2, 3, 3}, {2, 2}, {1, 1, 1, 1}},
  };
  for (const TransposedCase& t : cases)
    for (const bool constant : {true, false}) {
      const HostTensor x = ramp(t.x), w = ramp(t.w, 13);
      const std::map<std::string, Attribute> attributes = {{"group", integer(t.group)},
                                                           {"strides", ints(t.strides)},
                                                           {"pads", ints(t.pads)},
                                                           {"dilations", ints(t.dilations)},
                                                           {"output_padding", ints(t.output_padding)}};
      NodeCase node{"ConvTranspose", 11, attributes, {x, w}};
      node.constant = {false, constant};
      const HostTensor y = run(node)[0];
      const std::vector<double> want = transposed_by_definition(x, w, t.group, t.strides, t.pads, t.dilations, y);
      for (size_t i = 0; i < want.size(); i++)
        ASSERT_NEAR(y.as<float>()[i], want[i], 1e-4 * (1 + std::abs(want[i])))
            << "weights " << testing::PrintToString(t.w) << ", strides " << testing::PrintToString(t.strides)
            << ", constant " << constant << ", element " << i;
    }
}

// A term that does not exist is not zero times a weight.
TEST(ConvTranspose, InfiniteWeightsReachOnlyWhatTheyMultiply) {
  for (const int64_t stride : {1, 2}) {
    std::vector<float> values(16, 1);
    values[0] = INFINITY;
    NodeCase node{"ConvTranspose",
                  11,
                  {{"strides", ints({stride, stride})}, {"pads", ints({1, 1, 1, 1})}},
                  {tensor<float>({1, 1, 2, 2}, {1, 2, 3, 4}), tensor<float>({1, 1, 4, 4}, values)}};
    node.constant = {false, true};
    for (const float result : values_of<float>(run(node)[0])) EXPECT_FALSE(std::isnan(result)) << "stride " << stride;
  }
}

TEST(Einsum, AgreesWithMatMulAndSums) {
  HostTensor a = ramp({2, 3, 4}), b = ramp({2, 4, 5}, 13);
  auto product = run({"Einsum", 12, {{"equation", std::string("bij, bjk -> bik")}}, {a, b}})[0];
  EXPECT_EQ(values_of<float>(product), values_of<float>(run({"MatMul", 13, {}, {a, b}})[0]));
  auto trace =
      run({"Einsum", 12, {{"equation", std::string("...ii->...")}}, {tensor<float>({1, 2, 2}, {1, 2, 3, 4})}})[0];
  EXPECT_EQ(values_of<float>(trace), (std::vector<float>{5}));
  auto three = run({"Einsum",
                    12,
                    {{"equation", std::string("i,ij,k->j")}},
                    {tensor<float>({2}, {1, 2}), tensor<float>({2, 2}, {1, 2, 3, 4}), tensor<float>({2}, {10, 1})}})[0];
  EXPECT_EQ(values_of<float>(three), (std::vector<float>{77, 110}));
}

TEST(MatMulInteger, SubtractsZeroPointsExactly) {
  std::vector<uint8_t> a = {11, 7, 3, 10, 6, 2, 200, 255}, b = {1, 4, 2, 5, 3, 6, 250, 0};
  std::vector<uint8_t> za = {12, 3}, zb = {0, 9};
  std::vector<int32_t> expected;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      int32_t sum = 0;
      for (int k = 0; k < 4; ++k) sum += (int(a[i * 4 + k]) - za[i]) * (int(b[k * 2 + j]) - zb[j]);
      expected.push_back(sum);
    }
  }
  NodeCase c{"MatMulInteger", 10, {}, {tensor({2, 4}, a), tensor({4, 2}, b), tensor({2}, za), tensor({2}, zb)}};
  EXPECT_EQ(values_of<int32_t>(run(c)[0]), expected);
}

}  // namespace
}  // namespace cppgen::ops_test
