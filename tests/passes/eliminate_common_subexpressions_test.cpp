#include "cppgen/passes/passes.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

Ops after(GraphMaker& m) {
  eliminate_common_subexpressions(m.g);
  verify(m.g);
  eliminate_dead_code(m.g);
  return op_names(m.g);
}

TEST(CommonSubexpressions, EqualNodesBecomeOneTransitively) {
  GraphMaker m;
  ValueId x = m.input("x", {2});
  ValueId a = m.node("Neg", {m.node("Exp", {x})}), b = m.node("Neg", {m.node("Exp", {x})});
  m.output(m.node("Add", {a, b}));
  EXPECT_EQ(after(m), (Ops{"Exp", "Neg", "Add"}));
  EXPECT_EQ(m.g.nodes[2].inputs[0], m.g.nodes[2].inputs[1]);
}

TEST(CommonSubexpressions, ConstantsWithTheSameBytes) {
  GraphMaker m;
  ValueId x = m.input("x", {2});
  ValueId a = m.node("Mul", {x, m.floats({2}, {1, 2})}), b = m.node("Mul", {x, m.floats({2}, {1, 2})});
  ValueId c = m.node("Mul", {x, m.floats({2}, {1, 3})}), d = m.node("Mul", {x, m.floats({1, 2}, {1, 2})});
  m.output(m.node("Sum", {a, b, c, d}));
  EXPECT_EQ(after(m), (Ops{"Mul", "Mul", "Mul", "Sum"}));
}

TEST(CommonSubexpressions, ZeroAndMinusZeroDiffer) {
  GraphMaker m;
  ValueId x = m.input("x", {1});
  m.output(m.node("Add", {x, m.floats({1}, {0.0})})).output(m.node("Add", {x, m.floats({1}, {-0.0})}));
  EXPECT_EQ(after(m).size(), 2u);
}

TEST(CommonSubexpressions, LargeConstantsAreComparedWhole) {
  GraphMaker m;
  ValueId x = m.input("x", {4000});
  std::vector<double> values(4000, 1);
  ValueId a = m.node("Mul", {x, m.floats({4000}, values)});
  values[2000] = 2;  // equal at both ends
  m.output(m.node("Add", {a, m.node("Mul", {x, m.floats({4000}, values)})}));
  EXPECT_EQ(after(m).size(), 3u);
}

TEST(CommonSubexpressions, AttributesMatter) {
  GraphMaker m;
  ValueId x = m.input("x", {2, 3});
  ValueId a = m.node("Softmax", {x}, {{"axis", int64_t{0}}}), b = m.node("Softmax", {x}, {{"axis", int64_t{1}}});
  m.output(m.node("Add", {a, b}));
  EXPECT_EQ(after(m).size(), 3u);
}

TEST(CommonSubexpressions, EqualConstantsBecomeOne) {
  GraphMaker m;
  ValueId x = m.input("x", {2}), u = m.floats({2}, {1, 2}), v = m.floats({2}, {1, 2});
  m.output(m.node("Add", {m.node("Mul", {x, u}), m.node("Mul", {x, v})}));
  EXPECT_EQ(after(m).size(), 2u);
}

TEST(CommonSubexpressions, RandomOperatorsStay) {
  GraphMaker m;
  for (int i = 0; i < 2; i++) {
    ValueId out = m.g.add_value("r" + std::to_string(i));
    m.g.value(out).type = TensorType{DType::f32, {2}};
    m.g.add_node("RandomNormal", {}, {out}, 17);
    m.output(out);
  }
  EXPECT_EQ(after(m).size(), 2u);
}

TEST(CommonSubexpressions, TwoOutputsStayTwo) {
  GraphMaker m;
  ValueId x = m.input("x", {2});
  ValueId a = m.node("Neg", {x}), b = m.node("Neg", {x});
  m.g.value(a).name = "a";
  m.g.value(b).name = "b";
  m.output(a).output(b);
  after(m);
  EXPECT_EQ(m.g.value(m.g.outputs[0]).name, "a");
  EXPECT_EQ(m.g.value(m.g.outputs[1]).name, "b");
}

}  // namespace
}  // namespace cppgen::passes
