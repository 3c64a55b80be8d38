#include "cppgen/passes/expand_composites.h"

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
  return numbers_of(*y.constant);
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
