// Contractions of float16 and bfloat16 tensors.
#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

using schedule::FloatMath;

float same(float x) { return x; }

Products narrow_products(DType type, bool constant_right) {
  Products p;
  p.type = type, p.constant_right = constant_right;
  for (int64_t rows : {1, 14, 15, 33}) p.matmuls.push_back({rows, 33, 64});
  for (int64_t columns : {7, 32, 63}) p.matmuls.push_back({17, columns, 64});
  for (int64_t K : {5, 31, 33, 64, 65}) p.matmuls.push_back({9, 64, K});
  p.convs = {{31, 32, 7, 3, 1}, {32, 33, 6, 1, 0}, {7, 32, 9, 3, 1, 2}};
  if (!constant_right) p.convs.clear();
  return p;
}

struct Case {
  DType type;
  FloatMath math;
  const char *isa, *engine;
};
const Case kCases[] = {
    {DType::f16, FloatMath::f32, "scalar", "cppgen-f16"},
    {DType::f16, FloatMath::f32, "avx2", "cppgen-f16"},
    {DType::f16, FloatMath::f32, "avx512", "cppgen-f16"},
    {DType::bf16, FloatMath::f32, "scalar", "cppgen-bf16"},
    {DType::bf16, FloatMath::f32, "avx2", "cppgen-bf16"},
    {DType::bf16, FloatMath::f32, "avx512", "cppgen-bf16"},
    {DType::bf16, FloatMath::f32, "avx512_bf16", "avx512-bf16-tensors"},
    {DType::bf16, FloatMath::strict, "avx512_bf16", "cppgen-bf16"},
};

// One rounding of the result to its type more than a sum in float32 has.
double allowed(DType type) { return (type == DType::f16 ? 0x1p-11 : 0x1p-8) + 0x1p-20; }

TEST(NarrowTensors, EveryEngine) {
  for (const Case& c : kCases)
    for (bool constant_right : {true, false}) {
      const auto m = machine(c.isa);
      if (!m) continue;
      SCOPED_TRACE(std::string(c.engine) + " on " + c.isa + (constant_right ? ", constant" : ""));
      const Products p = narrow_products(c.type, constant_right);
      schedule::Options options;
      options.fpmath = c.math;
      Graph graph = graph_of(p, same);
      const Result r = run_on(*m, graph, options, inputs_of(p, same));
      EXPECT_EQ(r.engines, std::vector<std::string>(p.matmuls.size() + p.convs.size(), c.engine));
      EXPECT_LE(largest_error(r.outputs, interpreted(p, same), magnitudes(p)), allowed(c.type));
    }
}

TEST(NarrowTensors, BFloat16OnMatrixTiles) {
  const Machine m = emulated_amx();
  const Products p = narrow_products(DType::bf16, true);
  Graph graph = graph_of(p, same);
  const Result r = run_on(m, graph, {}, inputs_of(p, same));
  EXPECT_GT(std::count(r.engines.begin(), r.engines.end(), "amx-bf16-tensors"), 8);
  EXPECT_LE(largest_error(r.outputs, interpreted(p, same), magnitudes(p)), allowed(DType::bf16));
}

}  // namespace
}  // namespace cppgen::engines
