#include "cppgen/passes/passes.h"
#include "cppgen/passes/pipeline.h"
#include "runtime/base/errors.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

Tensor bytes(DType type, std::vector<int64_t> dims, const std::vector<int>& values) {
  std::vector<std::byte> data;
  for (int v : values) data.push_back(std::byte(v));
  return make_tensor(type, std::move(dims), std::move(data));
}

struct Microsoft : GraphMaker {
  Microsoft() : GraphMaker(21) { g.opsets["com.microsoft"] = 1; }
  ValueId constant(Tensor t) { return g.add_constant("t" + std::to_string(g.values.size()), std::move(t)); }
  ValueId untyped(const std::string& op, std::vector<ValueId> inputs, std::map<std::string, Attribute> attributes) {
    const ValueId out = g.add_value("y");
    Node& node = g.add_node(op, std::move(inputs), {out}, 1);
    node.domain = "com.microsoft", node.attributes = std::move(attributes);
    output(out);
    return out;
  }
};

std::vector<double> expanded_constant(Microsoft& m) {
  run_passes(m.g, {});
  const Value& y = m.g.value(m.g.outputs[0]);
  if (!y.constant) return {};
  if (is_float(y.constant->dtype)) return numbers_of(*y.constant);
  const std::vector<int64_t> integers = integers_of(*y.constant);
  return {integers.begin(), integers.end()};
}

// Rows 1 and 0 of a table of two blocks of two elements a row.
TEST(ExpandComposites, GathersRowsOfPackedElements) {
  Microsoft m;
  const ValueId table = m.constant(bytes(DType::u8, {2, 2}, {0x21, 0x43, 0x98, 0xf0}));
  const ValueId scales = m.floats({2, 2}, {1, 10, 0.5, 2}), zeros = m.constant(bytes(DType::u8, {2, 1}, {0x01, 0x80}));
  m.untyped("GatherBlockQuantized", {table, m.ints({1, 0}), scales, zeros},
            {{"block_size", int64_t{2}}, {"bits", int64_t{4}}, {"quantize_axis", int64_t{1}}});
  EXPECT_EQ(expanded_constant(m), (std::vector<double>{4, 4.5, -16, 14, 0, 1, 30, 40}));
}

TEST(ExpandComposites, GathersBytesAroundTheirMiddle) {
  Microsoft m;
  const ValueId table = m.constant(bytes(DType::u8, {2, 2}, {128, 129, 0, 255}));
  m.untyped("GatherBlockQuantized", {table, m.ints({1}), m.floats({2, 1}, {1, 2})},
            {{"block_size", int64_t{2}}, {"bits", int64_t{8}}, {"quantize_axis", int64_t{-1}}});
  EXPECT_EQ(expanded_constant(m), (std::vector<double>{-256, 254}));
}

// Even rows are in block 0, odd ones in block 1.
TEST(ExpandComposites, MovesRowsOfBlocksTogether) {
  for (const int bits : {2, 4, 8}) {
    Microsoft m;
    const int in_byte = 8 / bits, K = 32, columns = 2;
    const auto weight = [&](int n, int k) { return (n * 5 + k * 3) % (1 << bits); };
    std::vector<int> packed(size_t(columns * K / in_byte));
    std::vector<int64_t> block_of;
    std::vector<double> a, expected(columns), scales{1, 2, 0.5, 4};
    for (int k = 0; k < K; k++) block_of.push_back(k % 2), a.push_back(k % 7 - 3);
    for (int n = 0; n < columns; n++)
      for (int k = 0; k < K; k++) {
        packed[size_t((n * K + k) / in_byte)] |= weight(n, k) << (k % in_byte * bits);
        expected[size_t(n)] += a[size_t(k)] * (weight(n, k) - (1 << (bits - 1))) * scales[size_t(n * 2 + k % 2)];
      }
    const ValueId weights = m.constant(bytes(DType::u8, {columns, 2, 16 / in_byte}, packed));
    m.untyped("MatMulNBits", {m.floats({1, K}, a), weights, m.floats({columns, 2}, scales), kNoValue, m.ints(block_of)},
              {{"K", int64_t{K}}, {"N", int64_t{columns}}, {"bits", int64_t{bits}}, {"block_size", int64_t{16}}});
    EXPECT_EQ(expanded_constant(m), expected) << bits;
  }
}

TEST(ExpandComposites, LeavesBlocksOfOtherSizes) {
  Microsoft m;
  const ValueId weights = m.constant(bytes(DType::u8, {1, 2, 8}, std::vector<int>(16)));
  m.untyped("MatMulNBits",
            {m.input("a", {1, 32}), weights, m.floats({1, 2}, {1, 2}), kNoValue, m.ints(std::vector<int64_t>(32))},
            {{"K", int64_t{32}}, {"N", int64_t{1}}, {"block_size", int64_t{16}}});
  EXPECT_THROW(run_passes(m.g, {}), UserError);
}

TEST(ExpandComposites, PoolsChannelsLast) {
  Microsoft m;
  const ValueId x = m.input("x", {1, 4, 6, 3}, DType::u8);
  const ValueId y = m.untyped("NhwcMaxPool", {x},
                              {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 3}}});
  expand_composites(m.g);
  EXPECT_EQ(op_names(m.g), (Ops{"Transpose", "MaxPool", "Transpose"}));
  ops::infer_types(m.g);
  EXPECT_EQ(to_string(*m.g.value(y).type), "uint8[1, 2, 2, 3]");
}

TEST(ExpandComposites, AveragesChannelsLast) {
  Microsoft m;
  const ValueId x = m.input("x", {1, 4, 6, 3}, DType::u8), scale = m.floats({}, {0.5});
  const ValueId zero = m.constant(bytes(DType::u8, {}, {1}));
  const ValueId y = m.untyped("QLinearAveragePool", {x, scale, zero, scale, zero},
                              {{"kernel_shape", std::vector<int64_t>{2, 3}}, {"channels_last", int64_t{1}}});
  expand_composites(m.g);
  EXPECT_EQ(op_names(m.g), (Ops{"Transpose", "QLinearAveragePool", "Transpose"}));
  ops::infer_types(m.g);
  EXPECT_EQ(to_string(*m.g.value(y).type), "uint8[1, 3, 4, 3]");
}

TEST(ExpandComposites, SelectsQuantizedElements) {
  Microsoft m;
  const auto byte = [&](int v) { return m.constant(bytes(DType::u8, {}, {v})); };
  const ValueId condition = m.constant(bytes(DType::boolean, {3}, {1, 0, 1}));
  m.untyped("QLinearWhere",
            {condition, m.constant(bytes(DType::u8, {3}, {10, 11, 12})), m.floats({}, {0.5}), byte(2),
             m.constant(bytes(DType::u8, {1}, {8})), m.floats({}, {2}), byte(3), m.floats({}, {0.25}), byte(1)},
            {});
  EXPECT_EQ(expanded_constant(m), (std::vector<double>{17, 41, 21}));
}

TEST(ExpandComposites, ConvolvesChannelsLast) {
  for (int64_t last : {0, 1}) {
    Microsoft m;
    const ValueId x = m.input("x", last ? Shape{1, 5, 5, 2} : Shape{1, 2, 5, 5}, DType::u8);
    const ValueId w = m.constant(bytes(DType::u8, {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6}));
    const ValueId scale = m.floats({}, {0.5}), zero = m.constant(bytes(DType::u8, {}, {1}));
    const ValueId y =
        m.untyped("QLinearConv", {x, scale, zero, w, scale, zero, scale, zero}, {{"channels_last", last}});
    expand_composites(m.g);
    EXPECT_EQ(op_names(m.g), last ? (Ops{"Transpose", "QLinearConv", "Transpose"}) : Ops{"QLinearConv"});
    ops::infer_types(m.g);
    EXPECT_EQ(to_string(*m.g.value(y).type), last ? "uint8[1, 5, 5, 3]" : "uint8[1, 3, 5, 5]");
  }
}

TEST(ExpandComposites, AQuantizedAttentionIsAProjectionAndAnAttention) {
  Microsoft m;
  const ValueId x = m.input("x", {m.symbol("N"), 3, 4}, DType::u8), mask = m.input("mask", {m.symbol("N")}, DType::i32);
  const ValueId w = m.constant(bytes(DType::i8, {4, 12}, std::vector<int>(48, 1)));
  const ValueId one = m.floats({1}, {0.5}), zero = m.constant(bytes(DType::u8, {1}, {3}));
  const ValueId bias = m.floats({12}, std::vector<double>(12, 0.25));
  const ValueId y = m.untyped("QAttention", {x, w, bias, one, one, mask, zero}, {{"num_heads", int64_t{2}}});
  expand_composites(m.g);
  EXPECT_EQ(op_names(m.g),
            (Ops{"DequantizeLinear", "DequantizeLinear", "MatMul", "Add", "Split", "MultiHeadAttention"}));
  ops::infer_types(m.g);
  EXPECT_EQ(to_string(*m.g.value(y).type), "float32[N, 3, 4]");
}

TEST(ExpandComposites, OtherFormsAreReported) {
  Microsoft m;
  m.untyped("GatherBlockQuantized", {m.input("table", {2, 2}, DType::u8), m.ints({1}), m.floats({2, 1}, {1, 2})}, {});
  try {
    run_passes(m.g, {});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("GatherBlockQuantized"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace cppgen::passes
