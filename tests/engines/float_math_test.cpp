// float32 contractions in every FPMATH_MODE, on this CPU and on emulated matrix tiles, against the interpreter.
#include <algorithm>

#include "runtime/base/narrow_floats.h"
#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

using schedule::FloatMath;

float same(float x) { return x; }
float rounded(float x) { return bf16_to_f32(f32_to_bf16(x)); }

// Tiles alone are tested here, so convolutions have no other engines.
schedule::Options options_of(FloatMath math) {
  schedule::Options o;
  o.fpmath = math, o.max_autotune_conv_backends = {"CPP"};
  return o;
}

// Sizes around those of the blocks: 14 and 32 rows, 32 columns, pairs and steps of 32 of K.
Products around_blocks() {
  Products p;
  for (int64_t rows : {1, 13, 14, 15, 16, 17, 28, 31, 32, 33, 65}) p.matmuls.push_back({rows, 64, 64});
  for (int64_t columns : {3, 15, 31, 32, 33, 63, 64, 65, 95}) p.matmuls.push_back({33, columns, 64});
  for (int64_t K : {4, 5, 16, 31, 32, 33, 63, 64, 95, 127}) p.matmuls.push_back({17, 64, K});
  p.convs = {{32, 32, 7, 1, 0}, {32, 64, 6, 3, 1}, {7, 63, 9, 3, 1, 2}, {3, 32, 12, 5, 2}};
  return p;
}

long count_of(const std::vector<std::string>& engines, const std::string& name) {
  return std::count(engines.begin(), engines.end(), name);
}

class FloatMathTest : public testing::Test {
 protected:
  const Products products = around_blocks();
  const std::vector<ir::HostTensor> exact = interpreted(products, same), sizes = magnitudes(products);
  const std::vector<ir::HostTensor> of_rounded = interpreted(products, rounded);
  const size_t all = products.matmuls.size() + products.convs.size();

  Result run(const Machine& m, FloatMath math, int threads = 1) const {
    SCOPED_TRACE(m.name);
    Graph graph = graph_of(products, same);
    return run_on(m, graph, options_of(math), inputs_of(products, same), threads);
  }
  void expect_rounded(const Result& r) const {
    EXPECT_LE(largest_error(r.outputs, of_rounded, sizes), 0x1p-21);
    EXPECT_LE(mean_error(r.outputs, exact, sizes), 1.2 * mean_error(of_rounded, exact, sizes));
  }
};

TEST_F(FloatMathTest, StrictAndDefaultAreFusedMultiplyAddsWithoutMatrixTiles) {
  for (const char* isa : {"scalar", "avx2", "avx512_bf16"}) {
    const auto m = machine(isa);
    if (!m) continue;
    const Result strict = run(*m, FloatMath::strict), by_default = run(*m, FloatMath::f32, 3);
    EXPECT_LE(largest_error(strict.outputs, exact, sizes), 0x1p-21) << isa;
    EXPECT_EQ(count_of(strict.engines, "cppgen"), long(all));
    expect_same_bits(strict.outputs, by_default.outputs);
  }
}

TEST_F(FloatMathTest, PairsOfBFloat16) {
  const Machine m = machine_with_bf16_pairs();
  const Result r = run(m, FloatMath::bf16);
  EXPECT_EQ(count_of(r.engines, "avx512-bf16"), long(all));
  expect_rounded(r);
  EXPECT_GT(largest_error(r.outputs, exact, sizes), 0x1p-14);
  expect_same_bits(run(m, FloatMath::bf16, 3).outputs, r.outputs);
}

TEST_F(FloatMathTest, SixProductsOfPartsOnMatrixTiles) {
  const Machine m = emulated_amx();
  const Result r = run(m, FloatMath::f32), strict = run(m, FloatMath::strict);
  EXPECT_GE(count_of(r.engines, "amx-bf16x6"), 20);
  EXPECT_EQ(count_of(strict.engines, "cppgen"), long(all));
  EXPECT_LE(mean_error(r.outputs, exact, sizes), mean_error(strict.outputs, exact, sizes));
  EXPECT_LE(largest_error(r.outputs, exact, sizes), 0x1p-22);
  expect_same_bits(run(m, FloatMath::f32, 3).outputs, r.outputs);
}

TEST_F(FloatMathTest, ThreeProductsOfPartsOnMatrixTiles) {
  const Machine m = emulated_amx();
  const Result r = run(m, FloatMath::bf16x3);
  EXPECT_GE(count_of(r.engines, "amx-bf16x3"), 20);
  EXPECT_LE(largest_error(r.outputs, exact, sizes), 0x1p-16);
}

TEST_F(FloatMathTest, BFloat16OnMatrixTiles) {
  const Machine m = emulated_amx();
  const Result r = run(m, FloatMath::bf16);
  EXPECT_GE(count_of(r.engines, "amx-bf16"), 20);
  // What matrix tiles do not take stays float32: this machine's pairs are slow.
  EXPECT_EQ(count_of(r.engines, "avx512-bf16"), 0);
  EXPECT_LE(mean_error(r.outputs, exact, sizes), 1.2 * mean_error(of_rounded, exact, sizes));
}

// Values of K that are multiplied in blocks: within a tap, and of several taps.
TEST(FloatMath, LongSumsOnMatrixTiles) {
  const Machine m = emulated_amx();
  Products p;
  p.matmuls = {{33, 60, 1100}, {17, 64, 1700}};
  p.convs = {{180, 64, 6, 3, 1}, {70, 32, 6, 5, 2}};
  for (FloatMath math : {FloatMath::f32, FloatMath::bf16}) {
    Graph graph = graph_of(p, same), again = graph_of(p, same);
    const Result r = run_on(m, graph, options_of(math), inputs_of(p, same));
    EXPECT_EQ(r.engines, std::vector<std::string>(4, math == FloatMath::f32 ? "amx-bf16x6" : "amx-bf16"));
    const auto want = interpreted(p, math == FloatMath::f32 ? same : rounded);
    EXPECT_LE(largest_error(r.outputs, want, magnitudes(p)), 0x1p-20);
    expect_same_bits(run_on(m, again, options_of(math), inputs_of(p, same), 3).outputs, r.outputs);
  }
}

// There are so many rows that several tiles of them stand in a unit, the last of which has fewer.
TEST(FloatMath, BlocksOfKOfManyRows) {
  const Machine m = emulated_amx();
  Products p;
  p.matmuls = {{1030, 32, 800}};
  Graph graph = graph_of(p, same);
  const Result r = run_on(m, graph, options_of(FloatMath::bf16x3), inputs_of(p, same));
  EXPECT_EQ(r.engines.at(0), "amx-bf16x3");
  EXPECT_LE(largest_error(r.outputs, interpreted(p, same), magnitudes(p)), 0x1p-16);
}

// A right operand that only a run knows.
TEST(FloatMath, PanelsOfARunAreRounded) {
  const Machine m = machine_with_bf16_pairs();
  Products p;
  p.matmuls = {{15, 33, 31}, {33, 64, 64}, {5, 7, 9}};
  p.constant_right = false;
  Graph graph = graph_of(p, same);
  const Result r = run_on(m, graph, options_of(FloatMath::bf16), inputs_of(p, same));
  EXPECT_EQ(r.engines, std::vector<std::string>(3, "avx512-bf16"));
  EXPECT_LE(largest_error(r.outputs, interpreted(p, rounded), magnitudes(p)), 0x1p-21);
}

// One number that parts cannot express turns its tile into fused multiply-adds, bit for bit. Here each row has one.
TEST(FloatMath, NumbersBeyondTheRangeOfParts) {
  const Machine m = emulated_amx();
  constexpr int kK = 96;
  for (const int64_t rows : {24, 70}) {
    Products p;
    p.matmuls = {{rows, 64, kK}};
    for (float x : {1e-40f, 1e-36f, 3e38f, INFINITY, NAN}) {
      int at = 0;
      const Change change = [&](float v) { return at++ % kK == 7 ? x : v; };
      std::vector<std::vector<ir::HostTensor>> outputs;
      for (FloatMath math : {FloatMath::f32, FloatMath::strict}) {
        Graph graph = graph_of(p, same);
        at = 0;
        const auto inputs = inputs_of(p, change);
        const Result r = run_on(m, graph, options_of(math), inputs);
        EXPECT_EQ(r.engines.at(0), math == FloatMath::f32 ? "amx-bf16x6" : "cppgen");
        outputs.push_back(r.outputs);
      }
      expect_same_bits(outputs[0], outputs[1]);
    }
  }
}

// The same in blocks of K, of which one has such numbers: of several tiles, and with several taps.
TEST(FloatMath, BlocksOfKBeyondTheRangeOfParts) {
  const Machine m = emulated_amx();
  Products p;
  p.matmuls = {{70, 64, 1100}};
  p.convs = {{180, 64, 6, 3, 1}};
  int at = 0;
  const Change tiny = [&](float v) { return at++ % 1100 == 600 ? 1e-36f : v; };
  Graph graph = graph_of(p, same);
  const auto inputs = inputs_of(p, tiny);
  const Result r = run_on(m, graph, options_of(FloatMath::f32), inputs);
  EXPECT_EQ(r.engines, std::vector<std::string>(2, "amx-bf16x6"));
  at = 0;
  Graph again = graph_of(p, same);
  const Result strict = run_on(m, again, options_of(FloatMath::strict), inputs);
  EXPECT_LE(largest_error(r.outputs, strict.outputs, magnitudes(p)), 0x1p-20);
}

}  // namespace
}  // namespace cppgen::engines
