// Products with weights of few bits (MatMulNBits) on every ISA's tiles, against the interpreter.
#include <algorithm>

#include "cppgen/passes/passes.h"
#include "runtime/base/narrow_floats.h"
#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

enum class Zeros { none, equal, packed, whole, fractions };

struct Case {
  int64_t rows, k, n, bits, block;
  Zeros zeros = Zeros::none;
  DType type = DType::f32;
  bool flat = false, bias = false, any_rows = false;

  int64_t blocks() const { return (k + block - 1) / block; }
};

uint8_t byte(int64_t i, int64_t seed) { return uint8_t((i * 2654435761u + seed * 97) >> 13); }

ValueId bytes(GraphMaker& g, const std::vector<int64_t>& dims, int64_t seed, bool equal = false) {
  std::vector<std::byte> data;
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  for (int64_t i = 0; i < count; i++) data.push_back(std::byte(equal ? 0x55 : byte(i, seed)));
  return g.g.add_constant("b" + std::to_string(g.g.values.size()), make_tensor(DType::u8, dims, std::move(data)));
}

ValueId numbers(GraphMaker& g, const Case& c, int64_t modulus, double scale) {
  std::vector<double> values;
  for (int64_t i = 0; i < c.n * c.blocks(); i++) values.push_back(double(1 + i * 7 % modulus) * scale);
  return g.floats(c.flat ? std::vector{c.n * c.blocks()} : std::vector{c.n, c.blocks()}, values, c.type);
}

ValueId zeros(GraphMaker& g, const Case& c) {
  const int64_t row = (c.blocks() * c.bits + 7) / 8;
  const std::vector<int64_t> dims = c.flat ? std::vector{c.n * row} : std::vector{c.n, row};
  switch (c.zeros) {
    case Zeros::none:
      return kNoValue;
    case Zeros::equal:
      return bytes(g, dims, 3, true);
    case Zeros::packed:
      return bytes(g, dims, 3);
    case Zeros::whole:
      return numbers(g, c, 3, 1);
    case Zeros::fractions:
      return numbers(g, c, 11, 0.375);
  }
  return kNoValue;
}

Graph graph_of(const std::vector<Case>& cases, bool constant = true) {
  GraphMaker g(22);
  for (size_t i = 0; i < cases.size(); i++) {
    const Case& c = cases[i];
    const IndexExpr rows = c.any_rows ? g.symbol("N" + std::to_string(i)) : IndexExpr(c.rows);
    const ValueId x = g.input("x" + std::to_string(i), {rows, c.k}, c.type), y = g.g.add_value("y" + std::to_string(i));
    const std::vector<int64_t> dims = {c.n, c.blocks(), c.block * c.bits / 8};
    const ValueId w =
        constant ? bytes(g, dims, int64_t(i)) : g.input("w" + std::to_string(i), {dims.begin(), dims.end()}, DType::u8);
    std::vector<ValueId> inputs = {x, w, numbers(g, c, 13, 1.0 / 64), zeros(g, c)};
    if (c.bias) inputs.insert(inputs.end(), {kNoValue, g.floats({c.n}, std::vector<double>(size_t(c.n), 0.5), c.type)});
    while (inputs.back() == kNoValue) inputs.pop_back();
    Node& node = g.g.add_node("MatMulNBits", inputs, {y}, 1);
    node.domain = "com.microsoft";
    node.attributes = {{"K", c.k}, {"N", c.n}, {"bits", c.bits}, {"block_size", c.block}};
    ops::infer_node(g.g, node.id);
    g.output(y);
  }
  return std::move(g.g);
}

std::vector<ir::HostTensor> inputs_of(const std::vector<Case>& cases) {
  std::vector<ir::HostTensor> inputs;
  for (const Case& c : cases) inputs.push_back(sample(c.type, {c.rows, c.k}, uint32_t(inputs.size() + 1)));
  return inputs;
}

// The sum of the magnitudes of the terms is at most this: numbers are below 1, weights of at most 2^bits scales of at
// most 13 / 64.
double magnitude(const Case& c) { return double(c.k) * double(1 << c.bits) * 13 / 64; }

// Runs the products and compares them with the interpreter. Those without rows are not computed.
void expect_meaning(const std::vector<Case>& cases, const Machine& m, Graph graph, Graph meaning) {
  const Result r = run_on(m, graph, {}, inputs_of(cases));
  const auto products = std::count_if(cases.begin(), cases.end(), [](const Case& c) { return c.rows > 0; });
  EXPECT_EQ(r.engines, std::vector<std::string>(size_t(products), "cppgen-n-bits"));
  const auto want = ir::interpret(ops::lower(meaning), inputs_of(cases));
  for (size_t i = 0; i < cases.size(); i++) {
    const Case& c = cases[i];
    const double eps = c.type == DType::f32 ? 0x1p-22 : c.type == DType::f16 ? 0x1p-11 : 0x1p-8;
    for (int64_t e = 0; e < want[i].elements(); e++)
      ASSERT_NEAR(value(r.outputs[i], e), value(want[i], e), eps * magnitude(c))
          << c.rows << " x " << c.k << " x " << c.n << " of " << c.bits << " bits by " << c.block << ", zeros "
          << int(c.zeros) << ", at " << e;
  }
}

void check(const std::vector<Case>& cases, const char* isa) {
  SCOPED_TRACE(isa);
  if (const auto m = machine(isa)) expect_meaning(cases, *m, graph_of(cases), graph_of(cases));
}

constexpr const char* kIsas[] = {"scalar", "avx2", "avx512"};

TEST(NBits, EveryKindOfWeights) {
  std::vector<Case> cases;
  for (int64_t bits : {2, 4, 8})
    for (Zeros z : {Zeros::none, Zeros::equal, Zeros::packed, Zeros::whole, Zeros::fractions})
      for (int64_t rows : {1, 5}) {
        cases.push_back({rows, 96, 33, bits, 32, z});
        cases.push_back({rows, 77, 31, bits, 16, z, DType::f32, true, true});
      }
  for (const char* isa : kIsas) check(cases, isa);
}

TEST(NBits, EveryNumberOfRows) {
  std::vector<Case> cases;
  for (int64_t rows = 0; rows < 16; rows++) cases.push_back({rows, 64, 40, 4, 32, Zeros::packed});
  for (int64_t rows : {28, 29, 65}) cases.push_back({rows, 64, 40, 8, 16});
  for (const char* isa : kIsas) check(cases, isa);
}

// Their weights are unpacked once for many tiles of rows: values of K of one block and of several, blocks of weights
// that are shorter and longer, rows that conflict in the cache, and several units of tiles.
TEST(NBits, ManyRows) {
  std::vector<Case> cases;
  for (int64_t bits : {2, 4, 8})
    for (Zeros z : {Zeros::none, Zeros::packed, Zeros::fractions})
      for (int64_t k : {1, 77, 600, 1024})
        for (int64_t block : {16, 1024}) cases.push_back({29, k, 33, bits, block, z, DType::f32, false, k == 600});
  for (int64_t rows : {15, 130, 300}) cases.push_back({rows, 530, 70, 4, 32, Zeros::packed});
  for (DType type : {DType::f16, DType::bf16}) cases.push_back({60, 530, 40, 4, 32, Zeros::packed, type});
  for (const char* isa : kIsas) check(cases, isa);
}

TEST(NBits, RowsThatOnlyARunKnows) {
  std::vector<Case> cases;
  for (DType type : {DType::f32, DType::f16})
    for (int64_t rows : {1, 3, 5, 14, 15, 40, 300})
      for (int64_t k : {530, 1024}) cases.push_back({rows, k, 40, 4, 32, Zeros::packed, type, false, false, true});
  for (const char* isa : kIsas) check(cases, isa);
}

TEST(NBits, SumsAroundWordsAndBlocks) {
  std::vector<Case> cases;
  for (int64_t bits : {4, 8})
    for (int64_t k : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 127, 128, 129, 500})
      cases.push_back({2, k, 17, bits, 128, Zeros::fractions}), cases.push_back({1, k, 70, bits, 16});
  for (const char* isa : kIsas) check(cases, isa);
}

TEST(NBits, NarrowNumbers) {
  std::vector<Case> cases;
  for (DType type : {DType::f16, DType::bf16})
    for (int64_t rows : {1, 3, 17})
      for (Zeros z : {Zeros::none, Zeros::packed, Zeros::whole})
        cases.push_back({rows, 80, 33, 4, 32, z, type}), cases.push_back({rows, 50, 20, 8, 16, z, type, false, true});
  for (const char* isa : kIsas) check(cases, isa);
}

// What all zeros are is taken away exactly: weights of nothing but zeros give zero, whatever the numbers.
TEST(NBits, ZerosAreExact) {
  const auto m = machine("avx2");
  if (!m) GTEST_SKIP() << "this CPU lacks avx2";
  GraphMaker g(22);
  const ValueId x = g.input("x", {1, 64}), y = g.g.add_value("y");
  Node& node = g.g.add_node(
      "MatMulNBits",
      {x, bytes(g, {8, 2, 16}, 0, true), g.floats({8, 2}, std::vector<double>(16, 3.0)), bytes(g, {8, 1}, 0, true)},
      {y}, 1);
  node.domain = "com.microsoft";
  node.attributes = {{"K", int64_t{64}}, {"N", int64_t{8}}, {"bits", int64_t{4}}, {"block_size", int64_t{32}}};
  ops::infer_node(g.g, node.id);
  g.output(y);
  const Result r = run_on(*m, g.g, {}, {sample(DType::f32, {1, 64})});
  for (int64_t i = 0; i < 8; i++) EXPECT_EQ(value(r.outputs[0], i), 0);
}

TEST(NBits, ThreadsChangeNothing) {
  const std::vector<Case> cases = {{1, 128, 512, 4, 32, Zeros::packed}, {40, 128, 200, 8, 64}, {300, 600, 200, 4, 32}};
  Graph one = graph_of(cases), three = graph_of(cases);
  const Machine m = this_machine();
  expect_same_bits(run_on(m, one, {}, inputs_of(cases)).outputs, run_on(m, three, {}, inputs_of(cases), 3).outputs);
}

// The products of the same numbers, rounded to bytes.
Graph bytes_of(const std::vector<Case>& cases, bool constant = true) {
  Graph graph = graph_of(cases, constant);
  passes::PassOptions options;
  options.int8_activations = "always";
  passes::quantize_activations(graph, options);
  return graph;
}

void check_bytes(const std::vector<Case>& cases, const char* isa) {
  SCOPED_TRACE(isa);
  if (const auto m = machine(isa)) expect_meaning(cases, *m, bytes_of(cases), bytes_of(cases));
}

constexpr const char* kByteIsas[] = {"scalar", "avx2", "avx512", "avx512_vnni"};

TEST(NBits, RowsOfBytes) {
  std::vector<Case> cases;
  for (int64_t bits : {2, 4, 8})
    for (Zeros z : {Zeros::none, Zeros::equal, Zeros::packed, Zeros::whole, Zeros::fractions})
      for (int64_t rows : {1, 5}) {
        cases.push_back({rows, 96, 33, bits, 32, z});
        cases.push_back({rows, 77, 31, bits, 16, z, DType::f32, true, true});
      }
  for (int64_t rows : {2, 3, 4, 6, 7, 8, 9, 40, 130}) cases.push_back({rows, 530, 70, 4, 32, Zeros::packed});
  for (int64_t rows : {1, 3, 20}) cases.push_back({rows, 600, 40, 4, 128, Zeros::none, DType::f32, false, false, true});
  for (DType type : {DType::f16, DType::bf16}) cases.push_back({6, 80, 33, 4, 32, Zeros::none, type});
  for (const char* isa : kByteIsas) check_bytes(cases, isa);
}

TEST(NBits, ThreadsChangeNothingOfRowsOfBytes) {
  const std::vector<Case> cases = {{1, 128, 512, 4, 32, Zeros::packed}, {300, 600, 200, 4, 32}};
  Graph one = bytes_of(cases), three = bytes_of(cases);
  const Machine m = this_machine();
  expect_same_bits(run_on(m, one, {}, inputs_of(cases)).outputs, run_on(m, three, {}, inputs_of(cases), 3).outputs);
}

TEST(NBits, BytesAndOtherWeightsRunAsLoops) {
  const std::vector<Case> cases = {{3, 64, 20, 4, 32}};
  Graph of_run = bytes_of(cases, false), meaning = bytes_of(cases, false);
  std::vector<ir::HostTensor> inputs = inputs_of(cases);
  ir::HostTensor weights{DType::u8, {20, 2, 16}, {}};
  for (int i = 0; i < 20 * 2 * 16; i++) weights.bytes.push_back(std::byte(byte(i, 5)));
  inputs.push_back(weights);
  const Result r = run_on(this_machine(), of_run, {}, inputs);
  EXPECT_TRUE(r.engines.empty());
  const auto want = ir::interpret(ops::lower(meaning), inputs);
  for (int64_t i = 0; i < want[0].elements(); i++)
    EXPECT_NEAR(value(r.outputs[0], i), value(want[0], i), 0x1p-22 * magnitude(cases[0]));
}

TEST(NBits, OtherWeightsRunAsLoops) {
  const std::vector<Case> cases = {{3, 64, 20, 4, 32}};
  Graph of_run = graph_of(cases, false), unpacked = graph_of(cases), meaning = graph_of(cases, false);
  std::vector<ir::HostTensor> inputs = inputs_of(cases);
  schedule::Options no_packing;
  no_packing.weight_prepack = false;
  EXPECT_TRUE(run_on(this_machine(), unpacked, no_packing, inputs).engines.empty());
  ir::HostTensor weights{DType::u8, {20, 2, 16}, {}};
  for (int i = 0; i < 20 * 2 * 16; i++) weights.bytes.push_back(std::byte(byte(i, 5)));
  inputs.push_back(weights);
  const Result r = run_on(this_machine(), of_run, {}, inputs);
  EXPECT_TRUE(r.engines.empty());
  const auto want = ir::interpret(ops::lower(meaning), inputs);
  for (int64_t i = 0; i < want[0].elements(); i++)
    EXPECT_NEAR(value(r.outputs[0], i), value(want[0], i), 0x1p-22 * magnitude(cases[0]));
}

}  // namespace
}  // namespace cppgen::engines
