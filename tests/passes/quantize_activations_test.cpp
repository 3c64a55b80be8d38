// The inputs of products with weights of few bits become bytes where INT8_ACTIVATIONS says so.
#include "cppgen/passes/passes.h"
#include "cppgen/passes/pipeline.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kK = 40, kColumns = 6, kBlock = 16, kBlocks = 3;

ValueId product(GraphMaker& g, ValueId x, int64_t level, bool biased = false) {
  std::vector<std::byte> bytes(size_t(kColumns * kBlocks * kBlock / 2));
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = std::byte(i * 37 % 256);
  const ValueId weights = g.g.add_constant("w" + std::to_string(g.g.values.size()),
                                           make_tensor(DType::u8, {kColumns, kBlocks, kBlock / 2}, std::move(bytes)));
  std::vector<double> scales;
  for (int64_t i = 0; i < kColumns * kBlocks; i++) scales.push_back(double(1 + i % 5) / 64);
  std::vector<ValueId> inputs = {x, weights, g.floats({kColumns, kBlocks}, scales)};
  if (biased) inputs.insert(inputs.end(), {kNoValue, kNoValue, g.floats({kColumns}, std::vector<double>(kColumns, 3))});
  const ValueId y = g.g.add_value("y" + std::to_string(g.g.values.size()));
  Node& node = g.g.add_node("MatMulNBits", inputs, {y}, 1);
  node.domain = "com.microsoft";
  node.attributes = {
      {"K", kK}, {"N", kColumns}, {"bits", int64_t{4}}, {"block_size", kBlock}, {"accuracy_level", level}};
  ops::infer_node(g.g, node.id);
  g.output(y);
  return y;
}

PassOptions with(const char* value) {
  PassOptions options;
  options.int8_activations = value;
  return options;
}

TEST(QuantizeActivations, NeverWhereAskedOrAlways) {
  const auto products = [](const char* value) {
    GraphMaker g(21);
    const ValueId x = g.input("x", {2, kK});
    product(g, x, 4), product(g, x, 0);
    quantize_activations(g.g, with(value));
    return op_names(g.g);
  };
  EXPECT_EQ(products("never"), (Ops{"MatMulNBits", "MatMulNBits"}));
  EXPECT_EQ(products("asked"), (Ops{"QuantizeBlocks", "QuantizedMatMulNBits", "MatMulNBits"}));
  EXPECT_EQ(products("always"),
            (Ops{"QuantizeBlocks", "QuantizedMatMulNBits", "QuantizeBlocks", "QuantizedMatMulNBits"}));
}

TEST(QuantizeActivations, ProductsOfOneInputShareItsBytes) {
  GraphMaker g(21);
  const ValueId x = g.input("x", {2, kK});
  product(g, x, 4), product(g, x, 4, true);
  run_passes(g.g, with("asked"));
  EXPECT_EQ(op_names(g.g), (Ops{"QuantizeBlocks", "QuantizedMatMulNBits", "QuantizedMatMulNBits"}));
}

// Rounding to 127 steps changes a sum of 40 terms by at most half a step of each.
TEST(QuantizeActivations, ResultsAreCloseToThoseOfFloats) {
  std::vector<ir::HostTensor> results[2];
  for (bool bytes : {false, true}) {
    GraphMaker g(21);
    product(g, g.input("x", {3, kK}), 4, true);
    quantize_activations(g.g, with(bytes ? "asked" : "never"));
    results[bytes] = ir::interpret(ops::lower(g.g), {sample(DType::f32, {3, kK})});
  }
  double most = 0;
  for (int64_t i = 0; i < 3 * kColumns; i++) {
    const double difference = double(results[0][0].as<float>()[i]) - double(results[1][0].as<float>()[i]);
    most = std::max(most, std::abs(difference));
    EXPECT_NEAR(difference, 0, 40 * 8 * 5.0 / 64 * 0.5 / 127) << i;
  }
  EXPECT_GT(most, 0);  // they were rounded
}

}  // namespace
}  // namespace cppgen::passes
