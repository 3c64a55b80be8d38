// Products by dequantized weights become products by the few bits themselves, with the same results.
#include "cppgen/passes/passes.h"
#include "cppgen/passes/pipeline.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

using Attributes = std::map<std::string, Attribute>;

struct Row {
  DType type;
  int64_t k, columns;
  Attributes attributes;
  std::vector<int64_t> scales;  // their shape
  bool zeros = true, transposed = false;
  DType wide = DType::f32;
};

Attributes along(int64_t axis, int64_t block = 0) {
  Attributes a{{"axis", axis}};
  if (block) a["block_size"] = block;
  return a;
}

int64_t count_of(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

ValueId integers(GraphMaker& g, DType type, const std::vector<int64_t>& dims, int64_t step) {
  std::vector<std::byte> bytes;
  for (int64_t i = 0; i < count_of(dims); i++) {
    const int64_t v = (i * step + i / 7) % 16, wide = i * step * 11 % 256;
    bytes.push_back(std::byte(type == DType::u4 ? v : type == DType::i4 ? v - 8 : wide));
  }
  return g.g.add_constant("q" + std::to_string(g.g.values.size()), make_tensor(type, dims, std::move(bytes)));
}

GraphMaker product_of(const Row& r) {
  GraphMaker g(21);
  const std::vector<int64_t> dims = r.transposed ? std::vector{r.columns, r.k} : std::vector{r.k, r.columns};
  std::vector<double> scales;
  for (int64_t i = 0; i < count_of(r.scales); i++) scales.push_back(double(1 + i % 5) / 64);
  std::vector<ValueId> inputs{integers(g, r.type, dims, 5), g.floats(r.scales, scales, r.wide)};
  if (r.zeros) inputs.push_back(integers(g, r.type, r.scales, 3));
  ValueId w = g.node("DequantizeLinear", inputs, r.attributes);
  if (r.transposed) w = g.node("Transpose", {w});
  g.output(g.node("MatMul", {g.input("x", {2, 3, r.k}, r.wide), w}));
  return g;
}

TEST(FormNBitProducts, GranularitiesAndTypes) {
  const Row rows[] = {
      {DType::i4, 64, 5, along(0, 32), {2, 5}},
      {DType::u4, 64, 5, along(0, 16), {4, 5}, false},
      {DType::i4, 70, 3, along(-2, 32), {3, 3}, false},
      {DType::u4, 70, 4, along(1, 32), {4, 3}, true, true},
      {DType::i8, 48, 4, along(0, 16), {3, 4}},
      {DType::u8, 48, 4, along(1, 16), {4, 3}, true, true},
      {DType::i4, 130, 3, along(1), {3}},
      {DType::u4, 20, 3, along(0), {3}, true, true},
      {DType::i4, 200, 3, {}, {}},
      {DType::u4, 17, 2, {}, {1}, false},
      {DType::i4, 32, 3, along(0, 16), {2, 3}, true, false, DType::f16},
      {DType::u4, 32, 3, along(0, 16), {2, 3}, true, false, DType::bf16},
  };
  for (const Row& row : rows) {
    GraphMaker g = product_of(row);
    const auto before = run(g.g);
    form_n_bit_products(g.g);
    verify(g.g);
    eliminate_dead_code(g.g);
    EXPECT_EQ(op_names(g.g), Ops{"MatMulNBits"}) << name_of(row.type) << " " << row.k;
    expect_same_bits(before, run(g.g));
  }
}

TEST(FormNBitProducts, WhatBlocksOfKCannotExpressStays) {
  const Row rows[] = {
      {DType::i4, 64, 32, along(1, 16), {64, 2}},  // blocks of columns
      {DType::i4, 6, 4, along(0), {6}},            // a scale for each row
      {DType::i4, 48, 2, along(0, 24), {2, 2}},    // no power of 2
      {DType::i8, 32, 4, along(1), {4}},           // whole columns of bytes: folded as floats
  };
  for (const Row& row : rows) {
    GraphMaker g = product_of(row);
    form_n_bit_products(g.g);
    EXPECT_EQ(op_names(g.g), (Ops{"DequantizeLinear", "MatMul"}));
  }
}

TEST(FormNBitProducts, InThePipelineBeforeWeightsAreFolded) {
  GraphMaker g = product_of({DType::i4, 64, 5, along(0, 32), {2, 5}});
  run_passes(g.g);
  EXPECT_EQ(op_names(g.g), Ops{"MatMulNBits"});
  GraphMaker other = product_of({DType::i8, 32, 4, along(1), {4}});
  run_passes(other.g);
  EXPECT_EQ(op_names(other.g), Ops{"MatMul"});
}

}  // namespace
}  // namespace cppgen::passes
