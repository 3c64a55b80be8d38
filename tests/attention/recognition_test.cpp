// Which programs hold an attention, and why others hold none.
#include "tests/attention/attention_graphs.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

struct Recognised {
  size_t steps = 0, attentions = 0;
  std::string reason;
};

Recognised recognised(GraphMaker& g, const Options& options = {}) {
  const Schedule s = scheduled(g, options);
  Recognised r{s.steps.size(), 0, decision(s.log, "attention").reason};
  for (const FusedKernel* k : kernels_of(s)) r.attentions += k->kind == KernelKind::attention;
  return r;
}

TEST(AttentionRecognition, OneKernelForEachForm) {
  for (Mask mask : {Mask::none, Mask::additive, Mask::keys, Mask::boolean})
    for (bool inside : {false, true}) {
      GraphMaker g;
      g.output(attention(g, {.shape = {.batch = 2, .rows = 20, .keys = 30}, .mask = mask, .heads_inside = inside}));
      const Recognised r = recognised(g);
      EXPECT_EQ(r.attentions, 1u) << r.reason;
      EXPECT_EQ(r.steps, 1u);
    }
}

TEST(AttentionRecognition, WhatFollowsIsPartOfTheKernel) {
  GraphMaker g;
  g.output(g.node("Add", {attention(g, {}), g.input("residual", {1, 2, 12, 8})}));
  EXPECT_EQ(recognised(g).steps, 1u);
}

TEST(AttentionRecognition, MayBeTurnedOff) {
  GraphMaker g;
  g.output(attention(g, {}));
  EXPECT_EQ(recognised(g, {.attention_fusion = false}).attentions, 0u);
}

TEST(AttentionRecognition, WeightsThatOthersReadStay) {
  GraphMaker g;
  ValueId scores = g.node("MatMul", {g.input("q", {2, 20, 8}), g.input("k", {2, 8, 11})});
  ValueId weights = g.node("Softmax", {scores}, {{"axis", int64_t{-1}}});
  g.output(g.node("MatMul", {weights, g.input("v", {2, 11, 8})})).output(weights);
  EXPECT_EQ(recognised(g).attentions, 0u);
}

TEST(AttentionRecognition, ScoresThatOthersReadStay) {
  GraphMaker g;
  ValueId scores = g.node("MatMul", {g.input("q", {2, 20, 8}), g.input("k", {2, 8, 11})});
  ValueId weights = g.node("Softmax", {scores}, {{"axis", int64_t{-1}}});
  g.output(g.node("MatMul", {weights, g.input("v", {2, 11, 8})})).output(scores);
  EXPECT_EQ(recognised(g).attentions, 0u);
}

TEST(AttentionRecognition, SoftmaxOverTheRowsIsNone) {
  GraphMaker g;
  ValueId scores = g.node("MatMul", {g.input("q", {2, 11, 8}), g.input("k", {2, 8, 11})});
  ValueId weights = g.node("Softmax", {scores}, {{"axis", int64_t{1}}});
  g.output(g.node("MatMul", {weights, g.input("v", {2, 11, 8})}));
  const Recognised r = recognised(g);
  EXPECT_EQ(r.attentions, 0u);
  EXPECT_EQ(r.reason, "the keys of the scores and of the second product differ");
}

TEST(AttentionRecognition, NormalisationsAreNone) {
  GraphMaker g;
  ValueId x = g.node("MatMul", {g.input("q", {20, 8}), g.input("k", {8, 11})});
  ValueId sum = g.node("ReduceSum", {x, g.ints({1})});
  g.output(g.node("MatMul", {g.node("Div", {x, sum}), g.input("v", {11, 8})}));
  const Recognised r = recognised(g);
  EXPECT_EQ(r.attentions, 0u);
  EXPECT_EQ(r.reason, "no softmax in float32 over the keys");
}

TEST(AttentionRecognition, WeightsThatAreChangedStay) {
  GraphMaker g;
  ValueId scores = g.node("MatMul", {g.input("q", {2, 20, 8}), g.input("k", {2, 8, 11})});
  ValueId weights = g.node("Exp", {g.node("Softmax", {scores}, {{"axis", int64_t{-1}}})});
  g.output(g.node("MatMul", {weights, g.input("v", {2, 11, 8})}));
  EXPECT_EQ(recognised(g).reason, "no softmax in float32 over the keys");
}

TEST(AttentionRecognition, OneQuery) {
  GraphMaker g;
  g.output(attention(g, {.shape = {.rows = 1}}));
  EXPECT_EQ(recognised(g).steps, 1u);
}

TEST(AttentionRecognition, ManyQueriesInBfloat16StayWherePairsAreFast) {
  const auto attentions = [](IndexExpr rows, double speed, int64_t key_heads = 2) {
    GraphMaker g;
    g.output(
        attention(g, {.shape = {.heads = 4, .key_heads = key_heads, .rows = rows, .keys = 40}, .type = DType::bf16}));
    Target target = small_target();
    target.tiles[size_t(rt::TileFormat::bf16)] = {6, 16};
    target.bf16_dot_speed = speed;
    const Schedule s = make_schedule(ops::lower(g.g), {}, target);
    size_t count = 0;
    for (const FusedKernel* k : kernels_of(s)) count += k->kind == KernelKind::attention;
    return count;
  };
  EXPECT_EQ(attentions(40, 2, 4), 0u);
  EXPECT_EQ(attentions(40, 0.5, 4), 1u);
  EXPECT_EQ(attentions(1, 2, 4), 1u);
  EXPECT_EQ(attentions(40, 2, 2), 1u);  // else the heads would be repeated
}

TEST(AttentionRecognition, DoublePrecisionStays) {
  GraphMaker g;
  ValueId scores = g.node("MatMul", {g.input("q", {20, 8}, DType::f64), g.input("k", {8, 11}, DType::f64)});
  ValueId weights = g.node("Softmax", {scores}, {{"axis", int64_t{-1}}});
  g.output(g.node("MatMul", {weights, g.input("v", {11, 8}, DType::f64)}));
  EXPECT_EQ(recognised(g).attentions, 0u);
}

}  // namespace
}  // namespace cppgen::schedule
