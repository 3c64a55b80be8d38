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

TEST(Rewrite, InsertNodesRenumbers) {
  GraphMaker m;
  ValueId x = m.input("x", {2}), a = m.node("Relu", {x}), b = m.node("Abs", {a});
  m.output(b);
  ValueId fresh = m.g.add_value("fresh");
  m.g.value(fresh).type = m.g.value(a).type;
  insert_nodes(m.g, 1, {new_node("Neg", m.opset, {a}, {fresh})});
  m.g.nodes[2].inputs[0] = fresh;
  verify(m.g);
  EXPECT_EQ(op_names(m.g), (Ops{"Relu", "Neg", "Abs"}));
}

}  // namespace
}  // namespace cppgen::passes
