// Integer matrix products and convolutions against plain loops over (x - zx)(w - zw): every combination of signs, zero
// points and constants takes another way through the lowering.
#include <gtest/gtest.h>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

// Bytes that reach both extremes.
HostTensor bytes(DType type, Dims dims, int seed) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  HostTensor t{type, std::move(dims), std::vector<std::byte>(size_t(count))};
  for (size_t i = 0; i < t.bytes.size(); ++i) {
    size_t v = (i * 89 + size_t(seed) * 31) % 259;
    t.bytes[i] = v == 256 ? std::byte{0x7f} : v == 257 ? std::byte{0x80} : std::byte(v);
  }
  return t;
}

int32_t element(const HostTensor& t, int64_t i) {
  return t.type == DType::i8 ? t.as<int8_t>()[i] : int32_t(t.as<uint8_t>()[i]);
}

struct Kind {
  DType a, b;
  Dims a_zero, b_zero;  // shapes; {0}: absent
  bool b_constant, zeros_constant;
};

std::vector<Kind> kinds(const Dims& per_row, const Dims& per_column) {
  std::vector<Kind> all;
  for (DType a : {DType::u8, DType::i8})
    for (DType b : {DType::u8, DType::i8})
      for (const Dims& za : {Dims{0}, Dims{}, per_row})
        for (const Dims& zb : {Dims{0}, Dims{}, per_column})
          for (int constants = 0; constants < 4; ++constants)
            all.push_back({a, b, za, zb, (constants & 1) != 0, (constants & 2) != 0});
  return all;
}

NodeCase make_case(const char* op, const Kind& k, const Dims& a, const Dims& b) {
  auto zero = [](DType type, const Dims& dims, int seed) {
    return dims == Dims{0} ? bytes(type, {}, 0) : bytes(type, dims, seed);
  };
  NodeCase c{op, 10, {}, {bytes(k.a, a, 1), bytes(k.b, b, 2), zero(k.a, k.a_zero, 3), zero(k.b, k.b_zero, 4)}};
  c.constant = {false, k.b_constant, k.zeros_constant, k.zeros_constant};
  c.absent = {false, false, k.a_zero == Dims{0}, k.b_zero == Dims{0}};
  return c;
}

int32_t zero_at(const NodeCase& c, size_t input, int64_t position) {
  if (c.absent[input]) return 0;
  return element(c.inputs[input], c.inputs[input].elements() == 1 ? 0 : position);
}

TEST(MatMulInteger, IsExactForAllZeroPointsAndSigns) {
  for (int64_t K : {0, 1, 3, 5})
    for (int64_t batch : {1, 2})
      for (const Kind& k : kinds({3}, {4})) {
        NodeCase c = make_case("MatMulInteger", k, {batch, 3, K}, {K, 4});
        std::vector<int32_t> expected;
        for (int64_t i = 0; i < batch * 3; ++i)
          for (int64_t j = 0; j < 4; ++j) {
            int32_t sum = 0;
            for (int64_t d = 0; d < K; ++d)
              sum += (element(c.inputs[0], i * K + d) - zero_at(c, 2, i % 3)) *
                     (element(c.inputs[1], d * 4 + j) - zero_at(c, 3, j));
            expected.push_back(sum);
          }
        ASSERT_EQ(values_of<int32_t>(run(c)[0]), expected) << name_of(k.a) << name_of(k.b) << K;
      }
}

TEST(MatMulInteger, BatchesOfBothOperandsAndVectors) {
  Kind k{DType::u8, DType::u8, {}, {}, false, true};
  NodeCase c = make_case("MatMulInteger", k, {2, 1, 3, 5}, {2, 5, 4});
  auto y = values_of<int32_t>(run(c)[0]);
  for (int64_t i = 0; i < 2 * 2 * 3 * 4; ++i) {
    int64_t n = i / 24, b = i / 12 % 2, row = i / 4 % 3, column = i % 4;
    int32_t sum = 0;
    for (int64_t d = 0; d < 5; ++d)
      sum += (element(c.inputs[0], (n * 3 + row) * 5 + d) - zero_at(c, 2, 0)) *
             (element(c.inputs[1], (b * 5 + d) * 4 + column) - zero_at(c, 3, 0));
    ASSERT_EQ(y[size_t(i)], sum) << i;
  }
  EXPECT_EQ(run(make_case("MatMulInteger", k, {5}, {5, 4}))[0].dims, (Dims{4}));
  EXPECT_EQ(run(make_case("MatMulInteger", k, {3, 5}, {5}))[0].dims, (Dims{3}));
  EXPECT_EQ(run(make_case("MatMulInteger", k, {5}, {5}))[0].dims, (Dims{}));
}

// K is 5, of 255 x -128: a sum of two such products does not fit 16 bits.
TEST(MatMulInteger, ExtremesDoNotSaturate) {
  HostTensor a = bytes(DType::u8, {1, 5}, 0), b = bytes(DType::i8, {5, 1}, 0);
  std::fill(a.bytes.begin(), a.bytes.end(), std::byte{255});
  std::fill(b.bytes.begin(), b.bytes.end(), std::byte{0x80});
  EXPECT_EQ(values_of<int32_t>(run({"MatMulInteger", 10, {}, {a, b}})[0]), (std::vector<int32_t>{5 * 255 * -128}));
}

struct ConvRow {
  Dims x, w, pads, strides, dilations;
  int64_t group = 1;
};

int32_t conv_at(const NodeCase& c, const ConvRow& r, int64_t n, int64_t oc, int64_t oh, int64_t ow) {
  int64_t channels = r.w[1], first = oc / (r.w[0] / r.group) * channels;
  int32_t sum = 0;
  for (int64_t ic = 0; ic < channels; ++ic)
    for (int64_t kh = 0; kh < r.w[2]; ++kh)
      for (int64_t kw = 0; kw < r.w[3]; ++kw) {
        int64_t h = oh * r.strides[0] + kh * r.dilations[0] - r.pads[0];
        int64_t w = ow * r.strides[1] + kw * r.dilations[1] - r.pads[1];
        if (h < 0 || h >= r.x[2] || w < 0 || w >= r.x[3]) continue;
        sum += (element(c.inputs[0], ((n * r.x[1] + first + ic) * r.x[2] + h) * r.x[3] + w) - zero_at(c, 2, 0)) *
               (element(c.inputs[1], ((oc * channels + ic) * r.w[2] + kh) * r.w[3] + kw) - zero_at(c, 3, oc));
      }
  return sum;
}

TEST(ConvInteger, PadsWithTheZeroPoint) {
  const std::vector<ConvRow> rows = {{{2, 3, 5, 6}, {4, 3, 3, 3}, {1, 1, 1, 1}, {1, 1}, {1, 1}},
                                     {{1, 4, 7, 5}, {6, 2, 3, 2}, {0, 2, 1, 0}, {2, 1}, {1, 2}, 2},
                                     {{1, 3, 4, 4}, {3, 1, 3, 3}, {1, 1, 1, 1}, {1, 1}, {1, 1}, 3},
                                     {{1, 5, 3, 3}, {2, 5, 1, 1}, {0, 0, 0, 0}, {1, 1}, {1, 1}}};
  for (const ConvRow& r : rows)
    for (const Kind& k : kinds({}, {r.w[0]})) {
      NodeCase c = make_case("ConvInteger", k, r.x, r.w);
      c.attributes = {{"pads", r.pads}, {"strides", r.strides}, {"dilations", r.dilations}, {"group", r.group}};
      HostTensor y = run(c)[0];
      for (int64_t i = 0; i < y.elements(); ++i) {
        int64_t ow = i % y.dims[3], oh = i / y.dims[3] % y.dims[2], plane = i / (y.dims[3] * y.dims[2]);
        ASSERT_EQ(y.as<int32_t>()[i], conv_at(c, r, plane / y.dims[1], plane % y.dims[1], oh, ow)) << i;
      }
    }
}

// A product of stored bytes is what the engines take: the operands are loads of bytes, the right one of signed ones.
TEST(IntegerContractions, AreProductsOfBytes) {
  for (const Kind& k : kinds({}, {4})) {
    Graph g = graph_of(make_case("MatMulInteger", k, {3, 5}, {5, 4}));
    ir::Program p = program_of(g);
    int contractions = 0;
    for (const auto& s : p.statements) {
      const auto* nest = std::get_if<ir::LoopNest>(&s);
      if (!nest || !nest->is_contraction()) continue;
      contractions++;
      const ir::Expr product = nest->reductions[0].value;
      ASSERT_EQ(product->args[0]->kind, ir::ExprKind::cast);
      EXPECT_EQ(p.buffer(product->args[0]->args[0]->buffer).type, k.a);
      EXPECT_EQ(p.buffer(product->args[1]->args[0]->buffer).type, DType::i8);
    }
    EXPECT_EQ(contractions, 1);
  }
}

}  // namespace
}  // namespace cppgen::ops_test
