#include "cppgen/passes/rewrite.h"

#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

TEST(Rewrite, ReplacementsFollowChainsAndOutputsKeepTheirNames) {
  GraphMaker m;
  ValueId x = m.input("x", {2});
  ValueId a = m.node("Relu", {x}), b = m.node("Identity", {a}), c = m.node("Identity", {b}), d = m.node("Abs", {c});
  m.output(d).output(c);
  m.g.value(c).name = "result";
  Replacements r(m.g);
  r.replace(b, a);
  r.replace(c, b);
  EXPECT_TRUE(r.apply(m.g));
  EXPECT_EQ(m.g.nodes[3].inputs[0], a);
  EXPECT_EQ(m.g.outputs[1], a);
  EXPECT_EQ(m.g.value(a).name, "result");
  EXPECT_FALSE(r.apply(m.g));
  verify(m.g);
}

TEST(Rewrite, OutputsThatCannotTakeTheNameKeepTheirProducer) {
  GraphMaker m;
  ValueId x = m.input("x", {2});
  ValueId direct = m.node("Identity", {x});  // an input cannot be renamed
  ValueId a = m.node("Relu", {x}), again = m.node("Identity", {a});
  m.output(direct).output(a).output(again);  // nor an output
  Replacements r(m.g);
  r.replace(direct, x);
  r.replace(again, a);
  EXPECT_FALSE(r.apply(m.g));
  EXPECT_EQ(m.g.outputs, (std::vector<ValueId>{direct, a, again}));
}

TEST(Rewrite, MakeConstantDetachesTheProducer) {
  GraphMaker m;
  ValueId x = m.input("x", {2}), y = m.node("Relu", {x});
  m.output(y);
  make_constant(m.g, y, make_floats(DType::f32, {2}, {1, 2}));
  EXPECT_EQ(m.g.nodes[0].outputs[0], kNoValue);
  EXPECT_EQ(m.g.value(y).producer, -1);
  verify(m.g);
}

}  // namespace
}  // namespace cppgen::passes
