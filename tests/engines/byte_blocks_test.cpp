// Products of bytes on emulated matrix tiles: exact, as the interpreter's.
#include <algorithm>

#include "tests/engines/run_engine.h"
#include "tests/quantized/quantized_graph.h"

namespace cppgen::engines {
namespace {

ir::HostTensor bytes(DType type, const std::vector<int64_t>& dims, uint32_t seed) {
  ir::HostTensor t{type, dims, {}};
  for (int64_t i = 0; i < t.elements(); i++) {
    seed = seed * 1664525u + 1013904223u;
    t.bytes.push_back(std::byte(seed >> 24));
  }
  return t;
}

struct Bytes {
  QuantizedMaker maker{22};
  std::vector<ir::HostTensor> inputs;

  ValueId input(DType type, const std::vector<int64_t>& dims) {
    inputs.push_back(bytes(type, dims, uint32_t(inputs.size() + 1)));
    return maker.input("x" + std::to_string(inputs.size()), {dims.begin(), dims.end()}, type);
  }
  void product(DType left, std::vector<int64_t> dims, int64_t columns, int64_t zero = 0) {
    const int64_t K = dims.back(), seed = int64_t(inputs.size());
    maker.output(maker.node("MatMulInteger", {input(left, dims), maker.weights(DType::i8, {K, columns}, seed),
                                              maker.bytes(left, {}, {zero})}));
  }
  void convolution(DType left, int64_t channels, int64_t filters, int64_t window, int64_t stride, int64_t zero) {
    const ValueId w = maker.weights(DType::i8, {filters, channels, window, window}, filters);
    maker.output(
        maker.node("ConvInteger", {input(left, {2, channels, 9, 8}), w, maker.bytes(left, {}, {zero})},
                   {{"pads", std::vector<int64_t>(4, window / 2)}, {"strides", std::vector<int64_t>(2, stride)}}));
  }
  Result run(const Machine& m, int threads = 1) {
    Graph graph = maker.g;
    return run_on(m, graph, {}, inputs, threads);
  }
  std::vector<ir::HostTensor> meaning() {
    Graph graph = maker.g;
    return ir::interpret(ops::lower(graph), inputs);
  }
};

constexpr DType kBothTypes[] = {DType::u8, DType::i8};

TEST(ByteBlocks, AreExactAroundBlockSizes) {
  const Machine m = emulated_amx();
  Bytes b;
  int64_t count = 0;
  for (DType left : kBothTypes) {
    for (int64_t rows : {8, 15, 16, 17, 31, 32, 33, 64, 65}) b.product(left, {rows, 64}, 64), count++;
    for (int64_t columns : {17, 31, 32, 33, 63, 65}) b.product(left, {33, 64}, columns), count++;
    for (int64_t K : {33, 60, 63, 64, 65, 127, 128, 200}) b.product(left, {40, K}, 64), count++;
    b.product(left, {3, 11, 100}, 60), count++;
    b.product(left, {40, 64}, 64, 100), count++;  // its zero point
  }
  const Result r = b.run(m);
  EXPECT_EQ(std::count(r.engines.begin(), r.engines.end(), "amx-int8"), count);
  expect_same_bits(r.outputs, b.meaning());
  expect_same_bits(b.run(m, 3).outputs, r.outputs);
}

TEST(ByteBlocks, Convolutions) {
  const Machine m = emulated_amx();
  Bytes b;
  for (DType left : kBothTypes)
    for (int64_t zero : {0, 77}) {
      b.convolution(left, 32, 40, 3, 1, zero), b.convolution(left, 64, 32, 1, 1, zero);
      b.convolution(left, 48, 33, 3, 2, zero), b.convolution(left, 5, 64, 5, 1, zero);
    }
  const Result r = b.run(m);
  EXPECT_EQ(std::count(r.engines.begin(), r.engines.end(), "amx-int8"), 16);
  expect_same_bits(r.outputs, b.meaning());
}

// Products whose tiles would be mostly padding or gain nothing, and panels of a run.
TEST(ByteBlocks, OthersAreVectorTiles) {
  const Machine m = emulated_amx();
  Bytes b;
  b.product(DType::u8, {1, 64}, 64), b.product(DType::u8, {64, 64}, 5), b.product(DType::u8, {64, 7}, 64);
  b.product(DType::u8, {64, 0}, 64);
  const ValueId left = b.input(DType::u8, {40, 64}), right = b.input(DType::i8, {64, 40});
  b.maker.output(b.maker.node("MatMulInteger", {left, right}));
  const Result r = b.run(m);
  EXPECT_EQ(std::count(r.engines.begin(), r.engines.end(), "amx-int8"), 0);
  expect_same_bits(r.outputs, b.meaning());
}

// Such products have no loop of rows. What their epilogues subtract depends on the column, on the row, or on both.
TEST(ByteBlocks, AVectorTimesAMatrix) {
  Bytes b;
  for (DType left : kBothTypes)
    for (int64_t zero : {0, 77}) b.product(left, {33}, 5, zero), b.product(left, {64}, 70, zero);
  for (const char* isa : {"scalar", "avx2", "avx512"})
    if (const auto m = machine(isa)) expect_same_bits(b.run(*m).outputs, b.meaning());
}

}  // namespace
}  // namespace cppgen::engines
