// Tests which contractions libxsmm takes, and what it refuses with which reason.
#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/engines/xsmm.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/pipeline.h"
#include "cppgen/schedule/schedule.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

Target wide_target() { return {"avx512", 16, {{{14, 32}}}, 1 << 20}; }

// The fused program with its layouts.
Draft laid_out(Program program, const Options& options, const Target& target) {
  Draft draft{options, target};
  draft.program() = std::move(program);
  run_passes(fusion_passes(), draft);
  plan_layouts(draft);
  return draft;
}

// The answer about the only contraction of a graph, whose values lie as the planner puts them.
FusionDecision decision_of(GraphMaker g, const Target& target = wide_target(), int lanes = 16) {
  const Options options;
  Draft draft = laid_out(ops::lower(g.g), options, target);
  for (const auto& statement : draft.program().statements)
    if (const auto* nest = std::get_if<LoopNest>(&statement); nest && nest->is_contraction())
      return xsmm_supports(Contraction(draft.program(), draft.layouts(), *nest), options, target, lanes);
  return FusionDecision::no("no contraction");
}

GraphMaker product(Shape left, Shape right, DType type = DType::f32) {
  GraphMaker g;
  g.output(g.node("MatMul", {g.input("a", std::move(left), type), g.input("b", std::move(right), type)}));
  return g;
}

GraphMaker convolution(GraphMaker g, IndexExpr height, int64_t pad) {
  const ValueId w = g.floats({16, 8, 3, 3}, std::vector<double>(size_t(16 * 8 * 9), 1));
  const ValueId x = g.node("Relu", {g.input("x", {1, 8, height, 10})});
  g.output(g.node("Conv", {x, w}, {{"pads", std::vector<int64_t>(4, pad)}}));
  return g;
}

TEST(XsmmSchedule, TakesProductsAndPaddedImages) {
  EXPECT_TRUE(decision_of(product({30, 20}, {20, 40})));
  EXPECT_TRUE(decision_of(product({2, 30, 20}, {2, 20, 40})));
  EXPECT_TRUE(decision_of(convolution(GraphMaker(), 12, 1)));
}

TEST(XsmmSchedule, NeverRunsOnMoreThanTheForcedInstructionSet) {
  EXPECT_EQ(decision_of(product({30, 20}, {20, 40}), {"avx2", 8, {{{6, 16}}}, 1 << 20}).reason,
            "libxsmm would use a wider ISA than the one forced");
  EXPECT_TRUE(decision_of(product({30, 20}, {20, 40}), wide_target(), 8));
  EXPECT_EQ(decision_of(product({30, 20}, {20, 40}), wide_target(), 0).reason, "libxsmm has no kernels for this CPU");
}

TEST(XsmmSchedule, ReasonsOfContractionsAndTargetsAreTheSameOnEachMachine) {
  const Target scalar{"scalar", 1, {{{4, 1}}}, 1 << 20};
  for (const int lanes : {0, 8, 16}) {
    EXPECT_EQ(decision_of(product({30, 20}, {20, 40}, DType::f64), wide_target(), lanes).reason,
              "the operands are not float32 x float32");
    EXPECT_EQ(decision_of(product({30, 20}, {20, 40}), scalar, lanes).reason,
              "libxsmm would use a wider ISA than the one forced");
  }
}

TEST(XsmmSchedule, Refusals) {
  EXPECT_FALSE(decision_of(product({30, 20}, {20, 40}, DType::f64)));
  GraphMaker symbolic;
  IndexExpr height = symbolic.symbol("H");
  EXPECT_EQ(decision_of(convolution(std::move(symbolic), height, 1)).reason,
            "a dimension whose padding is not constant");
}

// The program with padded copies and separate epilogues still means the same.
TEST(XsmmSchedule, PreparationKeepsTheMeaning) {
  for (GraphMaker g : {convolution(GraphMaker(), 12, 1), product({2, 30, 20}, {2, 20, 40})}) {
    const Program before = ops::lower(g.g);
    const Options options{.weight_prepack = false};
    const Target target = wide_target();
    Draft draft = laid_out(ops::lower(g.g), options, target);
    Program& after = draft.program();
    std::vector<ir::Statement> statements;
    for (auto& statement : after.statements) {
      auto* nest = std::get_if<LoopNest>(&statement);
      if (!nest || !nest->is_contraction()) {
        statements.push_back(statement);
        continue;
      }
      Prepared prepared = xsmm_engine().prepare(after, draft.layouts(), *nest, options, target);
      EXPECT_TRUE(std::holds_alternative<LibraryStep>(prepared.step));
      for (OperandCopy& copy : prepared.copies) statements.emplace_back(std::move(copy.nest));
      statements.emplace_back(std::move(prepared.nest));
      statements.emplace_back(std::move(prepared.epilogue.value()));
    }
    after.statements = std::move(statements);
    ir::verify(after);
    std::vector<ir::HostTensor> inputs;
    for (ValueId v : g.g.inputs) {
      std::vector<int64_t> dims;
      for (IndexExpr d : g.g.value(v).type->shape) dims.push_back(d.constant());
      inputs.push_back(sample(DType::f32, dims));
    }
    const auto expected = ir::interpret(before, inputs), got = ir::interpret(after, inputs);
    for (size_t o = 0; o < expected.size(); o++)
      for (int64_t i = 0; i < expected[o].elements(); i++)
        ASSERT_NEAR(got[o].as<float>()[i], expected[o].as<float>()[i],
                    1e-5 * (1 + std::abs(expected[o].as<float>()[i])));
  }
}

}  // namespace
}  // namespace cppgen::schedule
