// Inlining, epilogues and reductions: pairs that are fused, and pairs that are refused with the reason.
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

struct Fused {
  ir::Program program;
  DecisionLog log;
};

Fused fused(GraphMaker& g, const Options& options = {}) {
  Fused f{ops::lower(g.g), {}};
  fuse(f.program, options, small_target(), f.log);
  ir::verify(f.program);
  return f;
}

TEST(Inline, APointwiseChainBecomesOneNest) {
  GraphMaker g;
  ValueId x = g.input("x", {4, 16});
  g.output(g.node("Tanh", {g.node("Relu", {g.node("Neg", {x})})}));
  Fused f = fused(g);
  EXPECT_EQ(f.program.statements.size(), 1u);
  EXPECT_TRUE(decision(f.log, "inline", "neg (Neg#0) -> relu").fused);
}

TEST(Inline, AnExpensiveValueWithTwoReadersIsStored) {
  GraphMaker g;
  ValueId e = g.node("Exp", {g.input("x", {4, 16})});
  g.output(g.node("Neg", {e})).output(g.node("Abs", {e}));
  Fused f = fused(g);
  EXPECT_EQ(f.program.statements.size(), 3u);
  EXPECT_EQ(decision(f.log, "inline", "exp").reason, "it is expensive and has several readers, so it is stored");
}

TEST(Inline, WhatABroadcastWouldRepeatIsStored) {
  GraphMaker g;
  ValueId x = g.input("x", {1, 16}), y = g.input("y", {64, 16});
  g.output(g.node("Add", {g.node("Exp", {x}), y}));
  Fused f = fused(g);
  EXPECT_EQ(f.program.statements.size(), 2u);
  EXPECT_EQ(decision(f.log, "inline", "exp").reason, "it would be computed more than once per element");
}

TEST(Inline, ViewsGoIntoEveryReader) {
  GraphMaker g;
  ValueId t = g.node("Transpose", {g.input("x", {4, 16})}, {{"perm", std::vector<int64_t>{1, 0}}});
  g.output(g.node("Exp", {t})).output(g.node("Abs", {t}));
  EXPECT_EQ(fused(g).program.statements.size(), 2u);
}

TEST(Inline, OperandsOfAContractionAreStored) {
  GraphMaker g;
  ValueId x = g.node("Relu", {g.input("x", {8, 32})}), w = g.input("w", {32, 16});
  g.output(g.node("MatMul", {x, w}));
  Fused f = fused(g);
  EXPECT_EQ(f.program.statements.size(), 2u);
  EXPECT_EQ(decision(f.log, "inline", "relu").reason,
            "an operand of a contraction is read many times, so it is stored");
}

GraphMaker matmul_bias_relu() {
  GraphMaker g;
  ValueId y = g.node("MatMul", {g.input("x", {8, 32}), g.input("w", {32, 16})});
  g.output(g.node("Relu", {g.node("Add", {y, g.input("b", {16})})}));
  return g;
}

TEST(Epilogue, BiasAndActivationJoinTheContraction) {
  GraphMaker g = matmul_bias_relu();
  Fused f = fused(g);
  ASSERT_EQ(f.program.statements.size(), 1u);
  EXPECT_TRUE(std::get<ir::LoopNest>(f.program.statements[0]).is_contraction());
  EXPECT_EQ(decision(f.log, "epilogue").reason, "epilogue");
}

TEST(Epilogue, ThePermutationThatFollowsJoins) {
  GraphMaker g;
  ValueId y = g.node("MatMul", {g.input("x", {2, 8, 32}), g.input("w", {2, 32, 16})});
  g.output(g.node("Transpose", {y}, {{"perm", std::vector<int64_t>{2, 0, 1}}}));
  EXPECT_EQ(fused(g).program.statements.size(), 1u);
}

TEST(Epilogue, AReductionDoesNotJoin) {
  GraphMaker g;
  ValueId y = g.node("MatMul", {g.input("x", {8, 32}), g.input("w", {32, 16})});
  g.output(g.node("ReduceSum", {y, g.ints({1})}));
  Fused f = fused(g);
  EXPECT_EQ(f.program.statements.size(), 2u);
  EXPECT_EQ(decision(f.log, "epilogue").reason, "the reader is a reduction");
}

TEST(Epilogue, AReaderOfAPartDoesNotJoin) {
  GraphMaker g;
  ValueId y = g.node("MatMul", {g.input("x", {8, 32}), g.input("w", {32, 16})});
  g.output(g.node("Relu", {g.node("Slice", {y, g.ints({0}), g.ints({4}), g.ints({0})})}));
  Fused f = fused(g);
  EXPECT_EQ(decision(f.log, "epilogue").reason, "the two have different numbers of points");
}

TEST(Reductions, ShortOnesBecomePointwise) {
  GraphMaker g;
  g.output(g.node("ReduceMax", {g.input("x", {64, 4})}, {{"axes", std::vector<int64_t>{1}}}));
  Fused f = fused(g);
  const auto& nest = std::get<ir::LoopNest>(f.program.statements[0]);
  EXPECT_TRUE(nest.reductions.empty() && nest.reduced.empty());
  EXPECT_EQ(decision(f.log, "unroll").reason, "4 points become pointwise operations");
}

TEST(Reductions, LongOnesWithFewResultsAreSplit) {
  GraphMaker g;
  g.output(g.node("ReduceSum", {g.input("x", {64, 4096}), g.ints({0, 1})}));
  Fused f = fused(g);
  ASSERT_EQ(f.program.statements.size(), 2u);
  EXPECT_EQ(decision(f.log, "split").reason, "32 parts");
  const auto& parts = std::get<ir::LoopNest>(f.program.statements[0]);
  EXPECT_TRUE(parts.loops[0].extent.is_constant(32));
  EXPECT_EQ(std::get<ir::LoopNest>(f.program.statements[1]).reduced.size(), 1u);
}

TEST(Reductions, ArgExtremaAreNeverSplit) {
  GraphMaker g;
  g.output(g.node("ArgMax", {g.input("x", {262144})}, {{"axis", int64_t{0}}}));
  EXPECT_EQ(fused(g).program.statements.size(), 1u);
}

TEST(Epilogue, AReductionOverNoLoopsIsNoEpilogue) {
  GraphMaker g;
  g.output(g.node("ReduceLogSumExp", {g.input("x", {})}));
  Fused f = fused(g);
  EXPECT_EQ(decision(f.log, "epilogue", "reduce_log_sum_exp_max").reason, "the reader is a reduction");
}

}  // namespace
}  // namespace cppgen::schedule
