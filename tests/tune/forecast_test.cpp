// Tests of the predictions for small models, and of the order of candidates.
#include "cppgen/tune/forecast.h"

#include <algorithm>

#include "cppgen/compile/peaks.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/costs/step_bounds.h"
#include "cppgen/flow/explain/explain.h"
#include "tests/cli/program.h"

namespace cppgen::tune {
namespace {

class CostModel : public CliTest {
 protected:
  CompileRequest request(const std::string& model, const std::string& threads = "1") const {
    CompileRequest request;
    request.model = model;
    const std::vector<std::pair<std::string, std::string>> options = {
        {"CACHE_DIR", path("cache")}, {"THREADS", threads}, {"ISA", "scalar"}};
    request.settings = Settings::from_environment(process_environment(), options);
    return request;
  }
  std::string pointwise(const std::string& op, const std::string& rows) const {
    ModelMaker maker;
    maker.input("x", {rows, "1024"}).output("y");
    maker.node(op, {"x"}, {"y"}, "the_node");
    return write(op + ".onnx", maker);
  }
  std::string product(const std::string& rows) const {
    ModelMaker maker;
    maker.input("x", {rows, "64"}).output("y");
    maker.initializer("w", {64, 96}, onnx::TensorProto::FLOAT).set_raw_data(std::string(size_t(64 * 96 * 4), '\x3e'));
    maker.node("MatMul", {"x", "w"}, {"y"}, "product");
    return write("product.onnx", maker);
  }
  // An exponential, and a convolution that Winograd's algorithm can compute.
  std::string exp_and_convolution() const {
    ModelMaker maker;
    maker.input("x", {"16", "1024"}).output("y").input("image", {"1", "8", "12", "12"}).output("z");
    maker.initializer("w", {16, 8, 3, 3}, onnx::TensorProto::FLOAT).set_raw_data(std::string(16 * 8 * 9 * 4, '\x3e'));
    maker.node("Exp", {"x"}, {"y"}, "exp");
    maker.node("Conv", {"image", "w"}, {"z"}, "conv");
    return write("exp_and_convolution.onnx", maker);
  }
  StepCost cost_of(const std::string& model, const std::string& node) const {
    for (const Explanation::Step& step : explain_model(request(model)).steps)
      if (std::count(step.origins.begin(), step.origins.end(), node) > 0 && step.cost.bytes > 0) return step.cost;
    ADD_FAILURE() << "no step computes " << node;
    return {};
  }
};

constexpr double kScalarLanes = 1;
const Candidate kEngine{"WINOGRAD_2X2", schedule::TuningScope::site_contraction, {"WINOGRAD_2X2", false, ""}};

TEST_F(CostModel, CountsInstructionsOfVectors) {
  const double vectors = 64 * 1024 / kScalarLanes;
  EXPECT_EQ(cost_of(pointwise("Neg", "64"), "the_node").instructions, 3 * vectors) << "load, negate, store";
  EXPECT_EQ(cost_of(pointwise("Neg", "64"), "the_node").products, 0);
  EXPECT_EQ(cost_of(pointwise("Neg", "64"), "the_node").multi_instruction, 0);
  EXPECT_GT(cost_of(pointwise("Exp", "64"), "the_node").multi_instruction, 10 * vectors);
  // x^0.75 = sqrt(x) * sqrt(sqrt(x)): dearer than products, and less than a power that needs a logarithm.
  const auto power = [&](float exponent) {
    ModelMaker maker;
    maker.input("x", {"64", "1024"}).output("y");
    maker.initializer("e", {}, onnx::TensorProto::FLOAT).add_float_data(exponent);
    maker.node("Pow", {"x", "e"}, {"y"}, "the_node");
    const StepCost cost = cost_of(write("pow.onnx", maker), "the_node");
    return cost.multi_instruction + cost.instructions;
  };
  EXPECT_LT(power(3), power(0.5f));
  EXPECT_LT(power(0.5f), power(0.75f));
  EXPECT_LT(power(0.75f), power(0.7f));
}

// What one step leaves in the caches of its threads is exchanged; inputs and outputs of the model are not known to be.
TEST_F(CostModel, StepsExchangeWhatOthersWrote) {
  EXPECT_EQ(cost_of(product("64"), "product").exchanged, 0);
  ModelMaker maker;
  maker.input("x", {"64", "64"}).output("y");
  maker.initializer("w", {64, 64}, onnx::TensorProto::FLOAT).set_raw_data(std::string(size_t(64 * 64 * 4), '\x3e'));
  maker.node("MatMul", {"x", "w"}, {"t"}, "first");
  maker.node("MatMul", {"t", "w"}, {"y"}, "second");
  const std::string model = write("two.onnx", maker);
  const double bytes = 64 * 64 * 4;
  EXPECT_GT(cost_of(model, "first").exchanged, 0) << "it writes what all threads may read";
  EXPECT_LE(cost_of(model, "first").exchanged, bytes);
  EXPECT_GT(cost_of(model, "second").exchanged, 0);
  EXPECT_LT(cost_of(model, "second").exchanged, bytes);
}

// An exponential of data in a cache is bound by its arithmetic, an addition by memory.
TEST_F(CostModel, DivisionsAndFunctionsHaveABound) {
  const double vectors = 64 * 1024 / kScalarLanes;
  EXPECT_EQ(cost_of(pointwise("Neg", "64"), "the_node").functions, 0);
  const StepCost exp = cost_of(pointwise("Exp", "64"), "the_node");
  EXPECT_GE(exp.functions, 6 * vectors);
  EXPECT_LT(exp.functions, exp.multi_instruction);
  EXPECT_GT(cost_of(pointwise("Softsign", "64"), "the_node").functions, 0) << "a division";
  MachinePeaks peaks;
  peaks.gflops = 64, peaks.loads_per_ns = 4, peaks.lanes = 8;
  peaks.levels = {{"memory", 0, 100}};
  const StepBound bound = bound_of(exp, 0, peaks, {});
  EXPECT_EQ(bound.by(), "arithmetic");
  EXPECT_NEAR(bound.ns(), exp.functions / 4, 1);
  EXPECT_GE(bound.predicted_ns, bound.ns());
}

// What a second level holds is exchanged at the rate between the threads; of more, only what the far rate adds counts.
TEST(StepBounds, ThreadsExchangeWhatTheirCachesHold) {
  MachinePeaks peaks;
  peaks.gflops = 64, peaks.loads_per_ns = 4, peaks.lanes = 8, peaks.threads = 2;
  peaks.levels = {{"L2", 1'000'000, 100}, {"memory", 0, 20}};
  peaks.exchange_gb_per_second = 5, peaks.far_exchange_gb_per_second = 10, peaks.round_trip_ns = 100;
  StepCost cost;
  cost.bytes = 4e6, cost.chunks = 64;
  const auto predicted = [&](double exchanged) {
    cost.exchanged = exchanged;
    return bound_of(cost, 0, peaks, {}).predicted_ns;
  };
  const double none = predicted(0), near = predicted(4e5), all = predicted(4e6);
  EXPECT_NEAR(near / none, (4e6 / 20 + 2e5 / 5) / (4e6 / 20), 0.01);
  EXPECT_LT(all, none + 1.5 * (near - none)) << "memory is no faster than the far rate";
  peaks.far_exchange_gb_per_second = 5;
  EXPECT_GT(predicted(4e6), 1.5 * all);
  cost.chunks = 1;
  EXPECT_LT(predicted(4e6), 2 * none + 1) << "one thread works, and exchanges nothing";
}

TEST_F(CostModel, CountsProductsWithTheirPadding) {
  const double least = 64 * 64 * 96 / kScalarLanes;
  const StepCost cost = cost_of(product("64"), "product");
  EXPECT_EQ(cost.flops, 2 * 64 * 64 * 96);
  EXPECT_GE(cost.products, least);
  EXPECT_LE(cost.products, 1.5 * least);
  const StepCost one = cost_of(product("1"), "product");
  EXPECT_GT(one.products, 1.2 * least / 64) << "a single row does not hide the latency of its sums";
}

// Loops and library calls state the multiply-adds of their sums of products, too.
TEST_F(CostModel, CountsMultiplyAddsOfEveryEngine) {
  ModelMaker doubles;
  doubles.input("x", {"24", "40"}, onnx::TensorProto::DOUBLE).output("y");
  doubles.initializer("w", {40, 16}, onnx::TensorProto::DOUBLE).set_raw_data(std::string(size_t(40 * 16 * 8), '\x3f'));
  doubles.node("MatMul", {"x", "w"}, {"y"}, "of_doubles");
  EXPECT_EQ(cost_of(write("doubles.onnx", doubles), "of_doubles").flops, 2 * 24 * 40 * 16);

  ModelMaker depthwise;
  depthwise.input("x", {"1", "8", "10", "10"}).output("y");
  depthwise.initializer("w", {8, 1, 3, 3}, onnx::TensorProto::FLOAT).set_raw_data(std::string(8 * 9 * 4, '\x3e'));
  auto& group = *depthwise.node("Conv", {"x", "w"}, {"y"}, "depthwise").add_attribute();
  group.set_name("group"), group.set_type(onnx::AttributeProto::INT), group.set_i(8);
  EXPECT_EQ(cost_of(write("depthwise.onnx", depthwise), "depthwise").flops, 2 * 8 * 8 * 8 * 9);

  EXPECT_EQ(cost_of(pointwise("ReduceSum", "64"), "the_node").flops, 0) << "no products";
}

TEST_F(CostModel, ProductsOfNarrowTypesHaveAHigherPeak) {
  ModelMaker bytes;
  bytes.input("x", {"32", "64"}, onnx::TensorProto::UINT8).output("y");
  bytes.initializer("w", {64, 32}, onnx::TensorProto::INT8).set_raw_data(std::string(64 * 32, '\x3e'));
  bytes.node("MatMulInteger", {"x", "w"}, {"y"}, "of_bytes");
  const StepCost of_bytes = cost_of(write("bytes.onnx", bytes), "of_bytes"),
                 of_floats = cost_of(product("64"), "product");
  EXPECT_EQ(of_bytes.flops, 2 * 32 * 64 * 32);
  EXPECT_GT(of_bytes.rate, 1);
  EXPECT_EQ(of_floats.rate, 1);
  MachinePeaks peaks;
  peaks.gflops = 100, peaks.loads_per_ns = 1e6, peaks.levels = {{"memory", 0, 1e6}};
  StepCost cost;
  cost.flops = 1e6;
  const double once = bound_of(cost, 0, peaks, {}).arithmetic_ns;
  cost.rate = 4;
  EXPECT_DOUBLE_EQ(once, 1e4);
  EXPECT_DOUBLE_EQ(bound_of(cost, 0, peaks, {}).arithmetic_ns, once / 4);
}

// Seven of nine rows and taps in each direction of an image of 3 x 3 are inside.
TEST_F(CostModel, TapsInThePaddingDoNotBoundATime) {
  ModelMaker maker;
  maker.input("x", {"1", "32", "3", "3"}).output("y");
  maker.initializer("w", {32, 32, 3, 3}, onnx::TensorProto::FLOAT).set_raw_data(std::string(32 * 32 * 9 * 4, '\x3e'));
  auto& pads = *maker.node("Conv", {"x", "w"}, {"y"}, "padded").add_attribute();
  pads.set_name("pads"), pads.set_type(onnx::AttributeProto::INTS);
  for (int i = 0; i < 4; i++) pads.add_ints(1);
  std::vector<StepCost> products;  // other steps reorder the image
  for (const Explanation::Step& step : explain_model(request(write("padded.onnx", maker))).steps)
    if (step.cost.flops > 0) products.push_back(step.cost);
  ASSERT_EQ(products.size(), 1u);
  EXPECT_EQ(products[0].flops, 2 * 9 * 32 * 32 * 9);
  EXPECT_DOUBLE_EQ(products[0].rate, 81.0 / 49);
}

// A 3x3 convolution of one pixel multiplies by the tap in the middle only.
TEST_F(CostModel, TapsThatTilesSkipTakeNoTime) {
  const auto products_with_pads = [&](int64_t kernel, int64_t pad) {
    ModelMaker maker;
    maker.input("x", {"1", "32", "1", "1"}).output("y");
    auto& w = maker.initializer("w", {32, 32, kernel, kernel}, onnx::TensorProto::FLOAT);
    w.set_raw_data(std::string(size_t(32 * 32 * kernel * kernel * 4), '\x3e'));
    auto& pads = *maker.node("Conv", {"x", "w"}, {"y"}, "padded").add_attribute();
    pads.set_name("pads"), pads.set_type(onnx::AttributeProto::INTS);
    for (int i = 0; i < 4; i++) pads.add_ints(pad);
    double products = 0;
    for (const Explanation::Step& step : explain_model(request(write("pixel.onnx", maker))).steps)
      products += step.cost.products;
    return products;
  };
  EXPECT_GT(products_with_pads(1, 0), 0);
  EXPECT_LT(products_with_pads(3, 1), 2 * products_with_pads(1, 0));
}

// A mask that hides the keys after each row's own halves the scores.
TEST_F(CostModel, HiddenKeysTakeNoTime) {
  const auto cost_of_attention = [&](bool causal) {
    ModelMaker maker;
    for (const char* input : {"q", "k", "v"}) maker.input(input, {"1", "2", "64", "16"});
    auto& attribute = *maker.output("y").node("Attention", {"q", "k", "v"}, {"y"}, "attention").add_attribute();
    attribute.set_name("is_causal"), attribute.set_type(onnx::AttributeProto::INT), attribute.set_i(causal);
    maker.model.mutable_opset_import(0)->set_version(23);
    return cost_of(write("attention.onnx", maker), "attention");
  };
  const StepCost all = cost_of_attention(false), causal = cost_of_attention(true);
  EXPECT_EQ(all.flops, 2.0 * 2 * 64 * 64 * (16 + 16));
  EXPECT_EQ(causal.flops, 2.0 * 2 * (64 * 65 / 2) * (16 + 16));
  EXPECT_EQ(all.bytes, 4 * 2 * 64 * 16 * 4) << "three operands and the result";
  EXPECT_LT(causal.products, 0.75 * all.products);
  EXPECT_LT(causal.multi_instruction, 0.75 * all.multi_instruction);
}

TEST_F(CostModel, CountsElementsThatAreAccessed) {
  EXPECT_EQ(cost_of(pointwise("Neg", "64"), "the_node").bytes, 2 * 64 * 1024 * 4);
  ModelMaker maker;
  maker.input("x", {"64", "1024"}).output("y");
  for (const auto& [name, value] : {std::pair{"begin", 0}, {"end", 8}})
    maker.initializer(name, {1}, onnx::TensorProto::INT64).add_int64_data(value);
  maker.node("Slice", {"x", "begin", "end"}, {"part"}, "slice");
  maker.node("Neg", {"part"}, {"y"}, "the_node");
  EXPECT_EQ(cost_of(write("slice.onnx", maker), "the_node").bytes, 2 * 8 * 1024 * 4);
}

TEST_F(CostModel, PredictsLongerTimesForFewerThreads) {
  const auto predicted = [&](const std::string& threads) {
    double ns = 0;
    for (const Explanation::Step& step : explain_model(request(pointwise("Exp", "512"), threads)).steps)
      ns += step.bound->predicted_ns;
    return ns;
  };
  const int cores = this_machine().cores;
  if (cores < 2) GTEST_SKIP() << "one core";
  EXPECT_GT(predicted("1"), 1.5 * predicted("2"));
}

TEST_F(CostModel, CandidatesThatGiveTheSameKernelsAreUnchanged) {
  const Forecast forecast(request(pointwise("Exp", "512")));
  const auto gain =
      forecast.of({"window_work=16384", schedule::TuningScope::site_other, {"", false, "window_work=16384"}});
  ASSERT_TRUE(gain);
  EXPECT_TRUE(gain->unchanged);
  const auto without_contractions = forecast.of(kEngine);
  ASSERT_TRUE(without_contractions);
  EXPECT_TRUE(without_contractions->unchanged);
  EXPECT_FALSE(Forecast(request(exp_and_convolution())).of(kEngine)) << "nothing is known of another engine";
}

// The profile of a model whose only kernel takes so many times the predicted time.
std::vector<StepTime> profile_of(const CompileRequest& request, double factor) {
  std::vector<StepTime> profile;
  for (const Explanation::Step& step : explain_model(request).steps)
    profile.push_back({step.origins, factor * step.bound->predicted_ns / 1e6});
  return profile;
}

TEST_F(CostModel, ProfilesCorrectPredictions) {
  const CompileRequest r = request(pointwise("Exp", "16"), "8");
  const Candidate large{"pointwise_block=8192", schedule::TuningScope::site_other, {"", false, "pointwise_block=8192"}};
  const Candidate small{"pointwise_block=1024", schedule::TuningScope::site_other, {"", false, "pointwise_block=1024"}};
  const Forecast alike(r, {}, profile_of(r, 1.2)), slow(r, {}, profile_of(r, 3));
  EXPECT_TRUE(alike.surprising_sites().empty());
  EXPECT_TRUE(alike.of(large)->hopeless);
  EXPECT_NEAR(alike.of(small)->ms, 1.2 * Forecast(r).of(small)->ms, 1e-9);
  ASSERT_EQ(slow.surprising_sites().size(), 1u);
  EXPECT_FALSE(slow.of(large)->hopeless) << "the prediction is wrong";
  EXPECT_GT(slow.of(large)->ms, 0);
  // Further candidates are for such sites only.
  EXPECT_TRUE(shortlist(alike, {}, 9, {large}).candidates.empty());
  EXPECT_EQ(shortlist(slow, {}, 9, {large}).candidates.size(), 1u);
  EXPECT_EQ(shortlist(slow, {large}, 9, {large}).candidates.size(), 1u) << "each once";
}

// Two units keep two of so many threads busy.
TEST_F(CostModel, CandidatesThatAreSlowerEverywhereAreDropped) {
  const Forecast forecast(request(exp_and_convolution(), "8"));
  const Candidate large{"pointwise_block=8192", schedule::TuningScope::site_other, {"", false, "pointwise_block=8192"}};
  const auto gain = forecast.of(large);
  ASSERT_TRUE(gain);
  EXPECT_TRUE(gain->hopeless);
  const Candidate same{"window_work=16384", schedule::TuningScope::site_other, {"", false, "window_work=16384"}};
  const Candidate small{"pointwise_block=1024", schedule::TuningScope::site_other, {"", false, "pointwise_block=1024"}};
  const Shortlist list = shortlist(forecast, {same, large, small, kEngine}, 1);
  EXPECT_EQ(list.unchanged, 1);
  EXPECT_EQ(list.dropped, std::vector<std::string>{"pointwise_block=8192"});
  ASSERT_EQ(list.candidates.size(), 2u) << "one of each kind";
  EXPECT_EQ(list.candidates[0].name, "WINOGRAD_2X2") << "nothing is known of it";
  EXPECT_EQ(list.candidates[1].name, "pointwise_block=1024");
}

}  // namespace
}  // namespace cppgen::tune
