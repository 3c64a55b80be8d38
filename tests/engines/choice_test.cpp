// Tests which engine a contraction gets, and why not another one.
#include "cppgen/flow/compile/stages.h"
#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

using schedule::FloatMath;

schedule::Target target(const char* isa, double bf16_dot_speed) {
  schedule::Target t = target_of(*find_isa(isa), MachineDescription{});
  t.bf16_dot_speed = bf16_dot_speed;
  return t;
}

struct Choice {
  std::string engine;
  std::map<std::string, std::string> refused;  // engine -> reason
};

Choice choose(const schedule::Target& target, FloatMath math, MatMulSize size, DType type = DType::f32,
              bool prepack = true) {
  Products p;
  p.type = type, p.matmuls = {size};
  Graph graph = graph_of(p, [](float x) { return x; });
  schedule::Options options;
  options.fpmath = math, options.weight_prepack = prepack;
  const auto s = schedule::make_schedule(ops::lower(graph), options, target);
  Choice choice;
  for (const auto& step : s.steps)
    if (const auto* k = std::get_if<schedule::FusedKernel>(&step); k && k->contraction)
      choice.engine = k->contraction->engine;
  for (const auto& e : s.log.entries) {
    const size_t on = e.subject.rfind(" on ");
    if (e.rule == "engine" && !e.decision) choice.refused[e.subject.substr(on + 4)] = e.decision.reason;
  }
  return choice;
}

constexpr MatMulSize kLarge{256, 256, 256};

TEST(EngineChoice, FollowsTheModeAndTheMachine) {
  const auto amx = target("amx", 0.5), intel = target("avx512_bf16", 0.5), amd = target("avx512_bf16", 2);
  const struct {
    const schedule::Target& target;
    FloatMath math;
    const char* engine;
  } rows[] = {
      {amx, FloatMath::strict, "cppgen"},      {amx, FloatMath::f32, "amx-bf16x6"},
      {amx, FloatMath::relaxed, "amx-bf16x6"}, {amx, FloatMath::bf16x3, "amx-bf16x3"},
      {amx, FloatMath::bf16, "amx-bf16"},      {intel, FloatMath::f32, "cppgen"},
      {intel, FloatMath::bf16x3, "cppgen"},    {intel, FloatMath::bf16, "cppgen"},
      {amd, FloatMath::strict, "cppgen"},      {amd, FloatMath::f32, "cppgen"},
      {amd, FloatMath::bf16x3, "cppgen"},      {amd, FloatMath::bf16, "avx512-bf16"},
  };
  for (const auto& r : rows)
    EXPECT_EQ(choose(r.target, r.math, kLarge).engine, r.engine) << r.target.isa << " " << name_of(r.math);
}

TEST(EngineChoice, OfBFloat16Tensors) {
  const auto amx = target("amx", 0.5), intel = target("avx512_bf16", 0.5), amd = target("avx512_bf16", 2);
  EXPECT_EQ(choose(amx, FloatMath::f32, kLarge, DType::bf16).engine, "amx-bf16-tensors");
  EXPECT_EQ(choose(amx, FloatMath::strict, kLarge, DType::bf16).engine, "cppgen-bf16");
  EXPECT_EQ(choose(intel, FloatMath::f32, kLarge, DType::bf16).engine, "cppgen-bf16");
  EXPECT_EQ(choose(amd, FloatMath::f32, kLarge, DType::bf16).engine, "avx512-bf16-tensors");
}

TEST(EngineChoice, SaysWhyNot) {
  const auto amx = target("amx", 0.5), intel = target("avx512_bf16", 0.5);
  EXPECT_EQ(choose(amx, FloatMath::strict, kLarge).refused["amx-bf16x6"], "FPMATH_MODE is strict");
  EXPECT_EQ(choose(amx, FloatMath::f32, {15, 64, 256}).refused["amx-bf16x6"], "there are fewer than 16 rows");
  EXPECT_EQ(choose(amx, FloatMath::f32, {256, 256, 33}).refused["amx-bf16x6"],
            "packed weights would take 2.9 times the memory of the model's weights");
  EXPECT_EQ(choose(amx, FloatMath::f32, {31, 64, 147}).refused["amx-bf16x6"],
            "packed weights would take 1.6 times the memory of the model's weights");
  EXPECT_EQ(choose(amx, FloatMath::f32, {256, 256, 147}).engine, "amx-bf16x6");
  EXPECT_EQ(choose(amx, FloatMath::f32, kLarge, DType::f32, false).refused["amx-bf16x6"], "WEIGHT_PREPACK is 0");
  EXPECT_EQ(choose(intel, FloatMath::f32, kLarge).refused["amx-bf16x6"], "there are no such tiles for avx512_bf16");
  EXPECT_EQ(choose(intel, FloatMath::bf16, kLarge).refused["avx512-bf16"],
            "this CPU multiplies pairs of bfloat16 no faster than float32");
}

// Where six products of parts are not faster: few rows, few columns, a short K.
TEST(EngineChoice, PartsReplaceDirectTilesWhereTheyAreFaster) {
  const auto amx = target("amx", 0.5);
  for (const MatMulSize size : {MatMulSize{128, 768, 768}, {196, 1024, 256}, {784, 128, 512}, {3136, 256, 64}})
    EXPECT_EQ(choose(amx, FloatMath::f32, size).engine, "amx-bf16x6") << size.rows << " rows";
  for (const MatMulSize size : {MatMulSize{49, 2048, 512}, {196, 96, 576}, {784, 32, 192}, {784, 192, 32}}) {
    Choice choice = choose(amx, FloatMath::f32, size);
    EXPECT_EQ(choice.engine, "cppgen") << size.rows << " rows";
    EXPECT_EQ(choice.refused["amx-bf16x6"].substr(0, 17), "predicted to take");
  }
}

// The reason why Winograd's algorithm does not run a convolution; empty: it does.
std::string winograd_refusal(ConvSize size, FloatMath math = FloatMath::f32, float factor = 1, bool prepack = true) {
  Products p;
  p.convs = {size};
  Graph graph = graph_of(p, [&](float x) { return x * factor; });
  schedule::Options options;
  options.fpmath = math, options.weight_prepack = prepack, options.max_autotune_conv_backends = {"WINOGRAD_4X4"};
  const auto s = schedule::make_schedule(ops::lower(graph), options, target("avx2", 0.5));
  for (const auto& e : s.log.entries)
    if (e.rule == "engine" && e.subject.ends_with(" on winograd-4x4")) return e.decision.reason;
  return "it was not asked";
}

TEST(EngineChoice, SaysWhyNotWinograd) {
  constexpr ConvSize kPlain{16, 32, 14, 3, 1};
  EXPECT_EQ(winograd_refusal(kPlain), "");
  EXPECT_EQ(winograd_refusal({16, 32, 14, 3, 2}), "");
  EXPECT_EQ(winograd_refusal({16, 32, 14, 5, 2}), "it is not a convolution of 3 taps along one or both directions");
  EXPECT_EQ(winograd_refusal({16, 32, 14, 3, 1, 2}), "its stride or dilation is not 1");
  EXPECT_EQ(winograd_refusal(kPlain, FloatMath::strict), "FPMATH_MODE is strict");
  EXPECT_EQ(winograd_refusal(kPlain, FloatMath::f32, std::numeric_limits<float>::infinity()),
            "a weight is infinite or not a number");
  EXPECT_EQ(winograd_refusal(kPlain, FloatMath::f32, 1, false),
            "its weights are not packed when the model is compiled");
}

// The engine of a convolution by default, or with other backends.
std::string engine_of_convolution(
    ConvSize size, FloatMath math = FloatMath::f32,
    const std::vector<std::string>& backends = schedule::Options().max_autotune_conv_backends) {
  Products p;
  p.convs = {size};
  Graph graph = graph_of(p, [](float x) { return x; });
  schedule::Options options;
  options.fpmath = math, options.max_autotune_conv_backends = backends;
  const auto s = schedule::make_schedule(ops::lower(graph), options, target("avx512", 0.5));
  return s.engines.at(0).engine;
}

TEST(EngineChoice, WinogradReplacesDirectTilesWhereItIsFaster) {
  EXPECT_EQ(engine_of_convolution({16, 32, 28, 3, 1}), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution({128, 64, 28, 3, 1}), "winograd-4x4");
  EXPECT_EQ(engine_of_convolution({512, 512, 3, 3, 1}), "cppgen");          // few results for many weights
  EXPECT_EQ(engine_of_convolution({512, 1024, 28, 3, 1}), "winograd-2x2");  // 72 MB of transformed weights are too many
  EXPECT_EQ(engine_of_convolution({1024, 1056, 14, 3, 1}), "cppgen");
  EXPECT_EQ(engine_of_convolution({128, 64, 56, 3, 1, 2}), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution({128, 64, 28, 3, 1, 2}), "cppgen");  // few results for many weights
  EXPECT_EQ(engine_of_convolution({128, 64, 28, 1, 0}), "cppgen");
}

TEST(EngineChoice, WinogradTakesTheSideWhoseErrorAllowsIt) {
  EXPECT_EQ(engine_of_convolution({64, 64, 56, 3, 1}), "winograd-4x4");
  EXPECT_EQ(engine_of_convolution({63, 64, 56, 3, 1}), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution({320, 128, 28, 3, 1}), "winograd-4x4");
  EXPECT_EQ(engine_of_convolution({640, 128, 28, 3, 1}), "winograd-2x2");
}

TEST(EngineChoice, WinogradRunsFiveTapsWhereItsErrorAllowsIt) {
  EXPECT_EQ(engine_of_convolution({32, 96, 28, 5, 2}), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution({64, 192, 27, 5, 2}), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution({23, 96, 28, 5, 2}), "cppgen");  // its error would be larger
  EXPECT_EQ(engine_of_convolution({23, 96, 28, 5, 2}, FloatMath::bf16x3), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution({32, 96, 28, 5, 2}, FloatMath::strict), "cppgen");
  EXPECT_EQ(engine_of_convolution({128, 128, 14, 5, 2}), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution({400, 128, 14, 5, 2}), "cppgen");
  EXPECT_EQ(engine_of_convolution({48, 128, 7, 5, 2}), "cppgen");  // few results for many weights
  EXPECT_EQ(engine_of_convolution({32, 96, 28, 5, 2, 2}), "cppgen");
}

TEST(EngineChoice, WinogradKeepsToTheModeAndTheList) {
  constexpr ConvSize kFew{16, 32, 28, 3, 1}, kMany{128, 64, 28, 3, 1};
  EXPECT_EQ(engine_of_convolution(kMany, FloatMath::strict), "cppgen");
  EXPECT_EQ(engine_of_convolution(kFew, FloatMath::f32), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution(kFew, FloatMath::relaxed), "winograd-4x4");
  EXPECT_EQ(engine_of_convolution(kFew, FloatMath::bf16x3), "winograd-4x4");
  EXPECT_EQ(engine_of_convolution(kMany, FloatMath::f32, {"CPP"}), "cppgen");
  EXPECT_EQ(engine_of_convolution(kMany, FloatMath::f32, {"CPP", "WINOGRAD_2X2"}), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution(kMany, FloatMath::f32, {"WINOGRAD_2X2", "CPP", "WINOGRAD_4X4"}), "winograd-2x2");
  EXPECT_EQ(engine_of_convolution(kFew, FloatMath::f32, {"WINOGRAD_4X4", "CPP"}),
            "winograd-4x4");  // as it is asked for
}

}  // namespace
}  // namespace cppgen::engines
