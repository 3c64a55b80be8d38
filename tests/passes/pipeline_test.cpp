#include "cppgen/passes/pipeline.h"

#include "runtime/base/errors.h"
#include "tests/quantized/quantized_graph.h"

namespace cppgen::passes {
namespace {

// Types removed: what an import gives.
Graph& forget_types(GraphMaker& m) {
  for (Value& v : m.g.values)
    if (v.producer >= 0) {
      v.type.reset();
      v.contents.reset();
    }
  return m.g;
}

GraphMaker small_network() {
  GraphMaker m;
  ValueId x = m.input("x", {m.symbol("N"), 2, 4, 4});
  ValueId w = m.node("Neg", {m.floats({2, 2, 1, 1}, {1, 2, 3, 4})});
  ValueId c = m.node("Conv", {m.node("Identity", {x}), w});
  ValueId b = m.node("BatchNormalization",
                     {c, m.floats({2}, {1, 2}), m.floats({2}, {3, 4}), m.floats({2}, {5, 6}), m.floats({2}, {1, 1})});
  ValueId y = m.node("Relu", {m.node("Dropout", {b})});
  m.node("Exp", {y});  // dead
  m.output(m.node("Flatten", {m.node("Add", {y, m.node("Relu", {b})})}));
  return m;
}

TEST(Pipeline, MakesTheGraphSmall) {
  GraphMaker m = small_network();
  auto before = run(m.g);
  run_passes(forget_types(m));
  EXPECT_EQ(op_names(m.g), (Ops{"Conv", "Relu", "Add", "Reshape"}));
  auto now = run(m.g);
  ASSERT_EQ(before[0].dims, now[0].dims);
  for (int64_t i = 0; i < now[0].elements(); i++) EXPECT_NEAR(before[0].as<float>()[i], now[0].as<float>()[i], 1e-4);
}

TEST(Pipeline, SettingsHaveEffect) {
  PassOptions plain;
  plain.constant_folding = plain.pattern_matcher = false;
  GraphMaker m = small_network();
  run_passes(forget_types(m), plain);
  // The constant Neg is small, so it is folded even so.
  EXPECT_EQ(op_names(m.g),
            (Ops{"Identity", "Conv", "BatchNormalization", "Dropout", "Relu", "Relu", "Add", "Flatten"}));

  GraphMaker large;
  ValueId w = large.floats({2048}, std::vector<double>(2048, 2));
  large.output(large.node("Add", {large.input("x", {1}), large.node("Neg", {w})}));
  GraphMaker copy = large;
  run_passes(forget_types(large), plain);
  EXPECT_EQ(op_names(large.g), (Ops{"Neg", "Add"}));
  run_passes(forget_types(copy));
  EXPECT_EQ(op_names(copy.g), Ops{"Add"});
}

// A quantized convolution and a product with quantized weights, each between rewrites.
QuantizedMaker quantized_network() {
  QuantizedMaker m;
  ValueId x = m.fake_quantize(m.node("Identity", {m.input("x", {1, 4, 6, 6})}), 0.01, 100);
  const ValueId w = m.dequantize(m.weights(DType::i8, {4, 4, 3, 3}), 0.01, 0);
  x = m.fake_quantize(m.node("Relu", {m.node("Conv", {x, w})}), 0.05, 0);
  x = m.fake_quantize(m.node("MaxPool", {x}, {{"kernel_shape", std::vector<int64_t>{2, 2}}}), 0.05, 0);
  x = m.node("Reshape", {x, m.ints({4, 9})});
  m.output(m.node("MatMul", {x, m.dequantize(m.weights(DType::u8, {9, 5}), 0.01, 128)}));
  return m;
}

TEST(Pipeline, EachPassThatIsNotNeededMayBeSkipped) {
  for (const std::string& name : pass_names(false)) {
    PassOptions options;
    options.disabled = {name};
    options.trace = [&](const char* pass, const Graph&) { EXPECT_NE(pass, name); };
    for (GraphMaker m : {small_network(), GraphMaker(quantized_network())}) {
      const auto before = run(m.g);
      run_passes(forget_types(m), options);
      const auto now = run(m.g);
      ASSERT_EQ(before[0].dims, now[0].dims);
      for (int64_t i = 0; i < now[0].elements(); i++)
        EXPECT_NEAR(before[0].as<float>()[i], now[0].as<float>()[i], 0.2) << "without " << name;
    }
  }
}

TEST(Pipeline, TracesEachPass) {
  GraphMaker m = small_network();
  std::vector<std::string> seen;
  PassOptions options;
  options.trace = [&](const char* pass, const Graph&) { seen.push_back(pass); };
  run_passes(forget_types(m), options);
  EXPECT_EQ(seen, (Ops{"eliminate_dead_code",
                       "check_attributes",
                       "expand_string_vocabularies",
                       "expand_channel_blocks",
                       "expand_composites",
                       "expand_learners",
                       "check_supported",
                       "infer_types",
                       "fold_constants",
                       "canonicalize",
                       "eliminate_dead_code",
                       "expand_quantized_operators",
                       "sink_dequantize",
                       "use_unsigned_activations",
                       "form_integer_contractions",
                       "form_n_bit_products",
                       "quantize_activations",
                       "interpolate_bytes",
                       "eliminate_dead_code",
                       "fold_requantization",
                       "fold_dequantized_constants",
                       "fold_affine",
                       "eliminate_common_subexpressions",
                       "eliminate_dead_code"}));
}

TEST(Pipeline, DeadUnsupportedOperatorsAreNoError) {
  GraphMaker m;
  ValueId x = m.input("x", {2}), dead = m.g.add_value("dead");
  m.g.add_node("NoSuchOperator", {x}, {dead}, 17);
  m.output(m.node("Relu", {x}));
  EXPECT_NO_THROW(run_passes(m.g));

  GraphMaker live;
  ValueId y = live.g.add_value("y");
  live.g.add_node("NoSuchOperator", {live.input("x", {2})}, {y}, 17);
  live.output(y);
  EXPECT_THROW(run_passes(live.g), UserError);
}

}  // namespace
}  // namespace cppgen::passes
