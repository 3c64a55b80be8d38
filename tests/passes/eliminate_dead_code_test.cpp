#include "cppgen/passes/passes.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

TEST(EliminateDeadCode, RemovesNodesAndConstants) {
  GraphMaker m;
  ValueId x = m.input("x", {2}), unused = m.input("unused", {1});
  ValueId dead = m.node("Add", {x, m.floats({2}, {1, 2})});
  m.node("Neg", {dead});
  ValueId y = m.node("Relu", {x});
  m.output(y);
  (void)unused;
  eliminate_dead_code(m.g);
  verify(m.g);
  EXPECT_EQ(op_names(m.g), Ops{"Relu"});
  EXPECT_EQ(m.g.values.size(), 3u);
  EXPECT_EQ(m.g.inputs.size(), 2u);  // inputs stay
  EXPECT_EQ(m.g.value(m.g.outputs[0]).producer, 0);
}

TEST(EliminateDeadCode, NeedsNoTypes) {
  Graph g;
  ValueId x = g.add_value("x"), y = g.add_value("y"), z = g.add_value("z");
  g.inputs = {x};
  g.add_node("Mystery", {x}, {y}, 17);
  g.add_node("Relu", {x}, {z}, 17);
  g.outputs = {z};
  eliminate_dead_code(g);
  EXPECT_EQ(op_names(g), Ops{"Relu"});
}

TEST(EliminateDeadCode, OneReadOutputKeepsItsNode) {
  Graph g;
  ValueId x = g.add_value("x"), a = g.add_value("a"), b = g.add_value("b");
  g.inputs = {x};
  g.add_node("Split", {x}, {a, b}, 17);
  g.outputs = {b};
  eliminate_dead_code(g);
  EXPECT_EQ(g.nodes.size(), 1u);
  EXPECT_EQ(g.nodes[0].outputs.size(), 2u);
}

}  // namespace
}  // namespace cppgen::passes
