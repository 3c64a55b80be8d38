// Tests which programs hold an attention, and why others hold none.
#include <functional>

#include "cppgen/forms/attention/mask.h"
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
  for (const FusedKernel* k : kernels_of(s)) r.attentions += k->attention.has_value();
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

// softmax(q x k) x v, with what a test makes of the scores and of the weights.
struct Parts {
  using Change = std::function<ValueId(GraphMaker&, ValueId)>;
  GraphMaker g;
  ValueId scores, weights;

  explicit Parts(const Change& of_scores = nullptr, const Change& of_weights = nullptr, int64_t axis = -1,
                 DType type = DType::f32, int64_t keys = 30) {
    scores = g.node("MatMul", {g.input("q", {3, 20, 8}, type), g.input("k", {3, 8, keys}, type)});
    if (of_scores) scores = of_scores(g, scores);
    weights = g.node("Softmax", {scores}, {{"axis", axis}});
    if (of_weights) weights = of_weights(g, weights);
    g.output(g.node("MatMul", {weights, g.input("v", {3, keys, 8}, type)}));
  }
};

TEST(AttentionRecognition, WhatOthersReadStays) {
  Parts weights, scores;
  weights.g.output(weights.weights);
  EXPECT_EQ(recognised(weights.g).attentions, 0u);
  scores.g.output(scores.scores);
  EXPECT_EQ(recognised(scores.g).attentions, 0u);
}

TEST(AttentionRecognition, SoftmaxOverTheRowsIsNone) {
  Parts p(nullptr, nullptr, 1, DType::f32, 20);
  const Recognised r = recognised(p.g);
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
  EXPECT_EQ(r.reason, "there is no float32 softmax over the keys");
}

TEST(AttentionRecognition, WeightsThatAreChangedStay) {
  Parts p(nullptr, [](GraphMaker& g, ValueId weights) { return g.node("Exp", {weights}); });
  EXPECT_EQ(recognised(p.g).reason, "there is no float32 softmax over the keys");
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
    for (const FusedKernel* k : kernels_of(s)) count += k->attention.has_value();
    return count;
  };
  EXPECT_EQ(attentions(40, 2, 4), 0u);
  EXPECT_EQ(attentions(40, 0.5, 4), 1u);
  EXPECT_EQ(attentions(1, 2, 4), 1u);
  EXPECT_EQ(attentions(40, 2, 2), 1u);  // else the heads would be repeated
}

std::optional<forms::KeysSeen> keys_seen(const Parts::Change& mask) {
  Parts p(mask);
  const Schedule s = scheduled(p.g);
  for (const FusedKernel* k : kernels_of(s))
    if (k->attention) return forms::keys_seen(s.program, *k->attention);
  ADD_FAILURE() << "no attention";
  return std::nullopt;
}

TEST(AttentionRecognition, KeysThatMasksHide) {
  const auto constant = [](int64_t beyond, double fill) {
    std::vector<std::byte> mask;
    for (int i = 0; i < 600; i++) mask.push_back(std::byte(i % 30 <= i / 30 + beyond));
    return keys_seen([=](GraphMaker& g, ValueId scores) {
      const ValueId there = g.g.add_constant("mask", make_tensor(DType::boolean, {20, 30}, mask));
      return g.node("Where", {there, scores, g.floats({}, {fill})});
    });
  };
  const auto causal = constant(0, -1e9);
  ASSERT_TRUE(causal);
  EXPECT_TRUE(causal->first.is_constant(1));
  EXPECT_EQ(causal->by_row, 1);
  EXPECT_EQ(causal->fill, -1e9);
  EXPECT_GT(causal->harmless_above(), -1e9 + 104);
  EXPECT_TRUE(constant(7, -INFINITY)->first.is_constant(8));
  EXPECT_FALSE(constant(29, -INFINITY));  // hides nothing
  EXPECT_FALSE(keys_seen([](GraphMaker& g, ValueId scores) {
    return g.node("Where", {g.input("mask", {20, 30}, DType::boolean), scores, g.floats({}, {-1e9})});
  }));
}

TEST(AttentionRecognition, DoublePrecisionStays) {
  Parts p(nullptr, nullptr, -1, DType::f64);
  EXPECT_EQ(recognised(p.g).attentions, 0u);
}

}  // namespace
}  // namespace cppgen::schedule
