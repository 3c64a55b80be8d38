#include "cppgen/passes/relate_dimensions.h"

#include "runtime/base/errors.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

ValueId untyped(GraphMaker& m, const std::string& op, std::vector<ValueId> inputs) {
  ValueId out = m.g.add_value(op + std::to_string(m.g.nodes.size()));
  m.g.add_node(op, std::move(inputs), {out}, m.opset);
  return out;
}

// The types of the inputs afterwards.
std::string related(GraphMaker& m) {
  infer_types_relating_dimensions(m.g, {});
  verify(m.g);
  std::string text;
  for (ValueId v : m.g.inputs) text += (text.empty() ? "" : " ") + to_string(m.g.value(v).type->shape);
  return text;
}

TEST(RelateDimensions, ABroadcastConstantDecidesASymbol) {
  GraphMaker m;
  const ValueId x = m.input("x", {m.symbol("N"), m.symbol("S")});
  m.output(untyped(m, "Add", {x, m.floats({1, 3}, {1, 2, 3})}));
  EXPECT_EQ(related(m), "[N, 3]");
  EXPECT_EQ(to_string(m.g.value(m.g.outputs[0]).type->shape), "[N, 3]");
}

TEST(RelateDimensions, AReshapeToAConstantSizeDecidesTheBatch) {
  GraphMaker m;
  const ValueId x = m.input("x", {m.symbol("N"), 2, 3});
  m.output(untyped(m, "Reshape", {x, m.ints({1, 6})}));
  EXPECT_EQ(related(m), "[1, 2, 3]");
}

TEST(RelateDimensions, OfTwoNamesTheFirstStays) {
  GraphMaker m;
  const ValueId x = m.input("x", {m.symbol("A"), 2}), y = m.input("y", {m.symbol("B"), 2});
  m.output(untyped(m, "Mul", {y, x}));
  EXPECT_EQ(related(m), "[A, 2] [A, 2]");
}

// A mask of the past and the new keys, declared with a name of its own.
TEST(RelateDimensions, AMaskIsAsLongAsWhatItMasks) {
  GraphMaker m;
  const ValueId mask = m.input("mask", {m.symbol("M")}), past = m.input("past", {m.symbol("P")}),
                now = m.input("now", {m.symbol("S")});
  const ValueId keys = m.g.add_value("keys");
  m.g.add_node("Concat", {past, now}, {keys}, m.opset).attributes["axis"] = int64_t(0);
  m.output(untyped(m, "Add", {keys, mask}));
  EXPECT_EQ(related(m), "[P + S] [P] [S]");
}

TEST(RelateDimensions, SeveralSymbolsAreFoundOneAfterTheOther) {
  GraphMaker m;
  const ValueId x = m.input("x", {m.symbol("A"), m.symbol("C")}), y = m.input("y", {m.symbol("B"), 4});
  m.output(untyped(m, "Add", {untyped(m, "Mul", {x, y}), m.floats({2, 1}, {1, 2})}));
  EXPECT_EQ(related(m), "[2, 4] [2, 4]");
}

TEST(RelateDimensions, WhatNoSymbolCanMendIsTheNodesError) {
  GraphMaker constants, halves;
  const ValueId x = constants.input("x", {constants.symbol("N"), 3});
  constants.output(untyped(constants, "Add", {x, constants.floats({2}, {1, 2})}));
  EXPECT_THROW(related(constants), UserError);
  const ValueId y = halves.input("y", {halves.symbol("N"), 2});
  halves.output(untyped(halves, "Reshape", {y, halves.ints({3})}));
  EXPECT_THROW(related(halves), UserError);
}

}  // namespace
}  // namespace cppgen::passes
