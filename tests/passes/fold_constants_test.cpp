#include "cppgen/passes/fold_node.h"
#include "cppgen/passes/passes.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

TEST(FoldConstants, RunsChains) {
  GraphMaker m;
  ValueId w = m.floats({2, 3}, {1, 2, 3, 4, 5, 6});
  ValueId t = m.node("Transpose", {w}, {{"perm", std::vector<int64_t>{1, 0}}});
  ValueId y = m.node("Mul", {t, m.floats({}, {10})});
  fold_constants(m.output(y).g);
  ASSERT_TRUE(m.g.value(y).constant);
  EXPECT_EQ(numbers_of(*m.g.value(y).constant), (std::vector<double>{10, 40, 20, 50, 30, 60}));
  EXPECT_EQ(m.g.value(y).constant->dims, (std::vector<int64_t>{3, 2}));
  verify(m.g);
}

TEST(FoldConstants, KeepsWhatDependsOnInputs) {
  GraphMaker m;
  ValueId y = m.node("Add", {m.input("x", {2}), m.floats({2}, {1, 2})});
  fold_constants(m.output(y).g);
  EXPECT_FALSE(m.g.value(y).constant);
}

TEST(FoldConstants, DoesNotBlowUpTheModel) {
  GraphMaker m;
  ValueId small = m.node("Expand", {m.floats({}, {1}), m.ints({1000})});
  ValueId large = m.node("Expand", {m.floats({}, {1}), m.ints({1000, 1000})});
  ValueId filled = m.node("ConstantOfShape", {m.ints({1 << 20})});
  fold_constants(m.output(small).output(large).output(filled).g);
  EXPECT_TRUE(m.g.value(small).constant);
  EXPECT_FALSE(m.g.value(large).constant);
  EXPECT_FALSE(m.g.value(filled).constant);
}

TEST(FoldConstants, LargeResultsOfLargeInputsAreFolded) {
  GraphMaker m;
  ValueId w = m.floats({600, 600}, std::vector<double>(360000, 3));
  ValueId y = m.node("Transpose", {w});
  fold_constants(m.output(y).g);
  EXPECT_TRUE(m.g.value(y).constant);
}

TEST(FoldConstants, RandomOperatorsStay) {
  GraphMaker m;
  ValueId out = m.g.add_value("r");
  m.g.value(out).type = TensorType{DType::f32, {2}};
  m.g.add_node("RandomNormal", {}, {out}, 17);
  fold_constants(m.output(out).g);
  EXPECT_FALSE(m.g.value(out).constant);
}

TEST(FoldConstants, AFailingNodeIsLeftToTheRun) {
  GraphMaker m;
  ValueId y = m.node("Gather", {m.floats({2}, {1, 2}), m.ints({7})});
  EXPECT_NO_THROW(fold_constants(m.output(y).g));
  EXPECT_FALSE(m.g.value(y).constant);
}

TEST(FoldContents, NarrowTypes) {
  GraphMaker m;
  ValueId y = m.g.add_value("y");
  m.g.value(y).type = TensorType{DType::i32, {2}};
  m.g.value(y).contents = {IndexExpr(-3), IndexExpr(4)};
  m.g.add_node("Cast", {m.input("x", {2})}, {y}, 17);
  EXPECT_TRUE(fold_contents(m.g, y));
  EXPECT_EQ(integers_of(*m.g.value(y).constant), (std::vector<int64_t>{-3, 4}));
}

}  // namespace
}  // namespace cppgen::passes
