// The order of nodes and the users of values while nodes are inserted and erased.
#include "cppgen/passes/node_order.h"

#include "cppgen/graph/users.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

struct Chain {
  GraphMaker m;
  ValueId x = m.input("x", {2}), a = m.node("Relu", {x}), b = m.node("Abs", {a}), c = m.node("Neg", {b});

  Chain() { m.output(c); }
  ValueId fresh() {
    const ValueId v = m.g.add_value("fresh");
    m.g.value(v).type = m.g.value(x).type;
    return v;
  }
};

TEST(NodeOrder, IdsStayUntilItIsDestroyed) {
  Chain chain;
  Graph& g = chain.m.g;
  const ValueId first = chain.fresh(), second = chain.fresh(), third = chain.fresh();
  {
    NodeOrder order(g);
    EXPECT_EQ(order.insert_before(1, "Exp", {chain.a}, {first}).id, 3);
    EXPECT_EQ(order.insert_before(1, "Sin", {first}, {second}).id, 4);
    EXPECT_EQ(order.insert_behind(2, "Cos", {chain.c}, {third}).id, 5);
    g.nodes[1].inputs[0] = second;
    EXPECT_EQ(g.nodes[1].op, "Abs");
    EXPECT_EQ(g.value(second).producer, 4);
  }
  verify(g);
  EXPECT_EQ(op_names(g), (Ops{"Relu", "Exp", "Sin", "Abs", "Neg", "Cos"}));
}

TEST(NodeOrder, WhatIsInsertedBeforeANodeIsVisitedAndThenTheNodeAgain) {
  Chain chain;
  Graph& g = chain.m.g;
  Ops visited;
  const ValueId fresh = chain.fresh();
  {
    NodeOrder order(g);
    order.each_node([&](NodeId id) {
      visited.push_back(g.nodes[size_t(id)].op);
      if (g.nodes[size_t(id)].op != "Abs" || g.nodes[size_t(id)].inputs[0] == fresh) return;
      order.insert_before(id, "Exp", {chain.a}, {fresh});
      g.nodes[size_t(id)].inputs[0] = fresh;
    });
  }
  EXPECT_EQ(visited, (Ops{"Relu", "Abs", "Exp", "Abs", "Neg"}));
  verify(g);
}

TEST(NodeOrder, ErasedNodesAreNotVisited) {
  Chain chain;
  Graph& g = chain.m.g;
  Ops visited;
  {
    NodeOrder order(g);
    g.nodes[2].inputs[0] = chain.a;
    order.each_node([&](NodeId id) {
      visited.push_back(g.nodes[size_t(id)].op);
      if (id != 0) return;
      order.erase(1);
      EXPECT_FALSE(order.has(1));
    });
  }
  EXPECT_EQ(visited, (Ops{"Relu", "Neg"}));
  EXPECT_EQ(op_names(g), visited);
  EXPECT_EQ(g.value(chain.c).producer, 1);
}

TEST(NodeOrder, NodesAreMovedAndTaken) {
  Chain chain;
  Graph& g = chain.m.g;
  Ops visited;
  {
    NodeOrder order(g);
    EXPECT_EQ(order.from(1), (std::vector<NodeId>{1, 2}));
    g.nodes[2].inputs[0] = chain.x;
    order.each_node([&](NodeId id) {
      visited.push_back(g.nodes[size_t(id)].op);
      if (id == 0 && order.from(0).back() == 2) order.move_before(0, 2);
      if (id != 1) return;
      Node taken = order.take(1);
      EXPECT_EQ(taken.op, "Abs");
      EXPECT_TRUE(g.nodes[1].inputs.empty() && g.nodes[1].outputs.empty());
      taken.op = "Exp";
      EXPECT_EQ(order.insert_behind(0, std::move(taken)).id, 3);
    });
  }
  EXPECT_EQ(visited, (Ops{"Relu", "Neg", "Relu", "Abs", "Exp"}));
  EXPECT_EQ(op_names(g), (Ops{"Neg", "Relu", "Exp"}));
  verify(g);
}

TEST(Users, FollowChanges) {
  Chain chain;
  Graph& g = chain.m.g;
  Users users(g);
  EXPECT_EQ(users.only_node(chain.a), 1);
  EXPECT_EQ(users.count(chain.c), 1);
  EXPECT_EQ(users.only_node(chain.c), -1);  // it is an output
  const Node& twice = g.add_node("Add", {chain.a, chain.a}, {chain.fresh()}, chain.m.opset);
  users.add(twice);
  EXPECT_EQ(users.nodes(chain.a), (std::vector<NodeId>{1, 3, 3}));
  users.set_input(g.nodes[3], 1, chain.b);
  EXPECT_EQ(users.nodes(chain.a), (std::vector<NodeId>{1, 3}));
  EXPECT_EQ(users.count(chain.b), 2);
  users.remove(g.nodes[1]);
  EXPECT_EQ(users.only_node(chain.a), 3);
}

}  // namespace
}  // namespace cppgen::passes
