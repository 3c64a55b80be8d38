// Nodes that oneDNN has no primitive for, between those that it has.
#include "runtime/base/errors.h"
#include "tests/baseline/fixture.h"

namespace cppgen::baseline {
namespace {

using Ints = std::vector<int64_t>;
struct Groups : BaselineTest {
  GraphMaker m;
};

TEST_F(Groups, BetweenPrimitives) {
  const ValueId x = m.node("MaxPool", {m.input("x", {1, 8, 6, 6})}, {{"kernel_shape", Ints{2, 2}}});
  const ValueId group = m.node("Sin", {m.node("Cos", {x})});
  const Report report = expect_same(m, m.node("MaxPool", {group}, {{"kernel_shape", Ints{2, 2}}}));
  int ours = 0;
  for (const StepReport& step : report.steps) {
    if (!step.ours) continue;
    ours++;
    EXPECT_EQ(step.operators, (Kinds{"Cos", "Sin"}));
  }
  EXPECT_EQ(ours, 1);
}

TEST_F(Groups, AsLargeAsTheOrderAllows) {
  const ValueId x = m.input("x", {4, 8}), a = m.node("Sin", {x}), b = m.node("Relu", {x}), c = m.node("Cos", {x});
  const ValueId sum = m.node("Mul", {m.node("Mul", {a, b}), c});
  EXPECT_EQ(kinds(expect_same(m, sum)), (Kinds{"eltwise", "kernels", "binary"}));
}

TEST_F(Groups, OtherTypesAndSeveralOutputs) {
  const ValueId i = m.input("i", {2, 5}, DType::i64), x = m.input("x", {2, 5});
  const ValueId as_float = m.node("Cast", {i}, {{"to", int64_t(1)}});
  const ValueId sum = m.node("Add", {as_float, x}), larger = m.node("Greater", {sum, x});
  for (ValueId v : {sum, larger, i, m.node("Where", {larger, sum, x}), m.node("Add", {i, i})}) m.output(v);
  expect_same(m.g);
}

TEST_F(Groups, OnlyOurs) {
  const ValueId x = m.input("x", {64, 300});
  EXPECT_EQ(kinds(expect_same(m, m.node("Sin", {m.node("Cos", {x})}))), Kinds{"kernels"});
}

TEST_F(Groups, EmptyTensors) {
  const ValueId x = m.input("x", {0, 5});
  expect_same(m, m.node("Relu", {x}));
}

TEST_F(Groups, AnyNumberOfThreads) {
  const ValueId x = m.input("x", {1, 16, 32, 32});
  const ValueId y = m.node("MaxPool", {m.node("Sin", {x})}, {{"kernel_shape", Ints{3, 3}}});
  m.output(m.node("Cos", {m.node("Relu", {y})}));
  for (int threads : {1, 2, 3}) expect_same(m.g, threads);
}

TEST_F(Groups, ADimensionWithoutSizeIsRefused) {
  m.output(m.node("Relu", {m.input("x", {m.symbol("N"), 5})}));
  try {
    make_onednn_graph(m.g, 1, compiler());
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "--against onednn requires sizes for all dimensions: \"x\" is [N, 5]; give sizes with --dim NAME=N");
  }
}

}  // namespace
}  // namespace cppgen::baseline
