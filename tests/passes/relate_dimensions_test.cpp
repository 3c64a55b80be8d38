#include "cppgen/passes/passes.h"
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
  infer_types(m.g);
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

// The size of the arena after inference.
std::string assumed(GraphMaker& m) {
  related(m);
  std::string text;
  for (const ir::IndexBound& bound : m.g.index->assumptions()) text += (text.empty() ? "" : ", ") + to_string(bound);
  return text;
}

// Dimension `axis` of `v`, as a list of one.
ValueId extent(GraphMaker& m, ValueId v, int64_t axis) {
  return untyped(m, "Gather", {untyped(m, "Shape", {v}), m.ints({axis})});
}

// Positions of all tokens, cut at the past, are those of the new tokens.
TEST(RelateDimensions, WhatIsCutAtThePastIsAsLongAsTheRest) {
  GraphMaker m;
  const ValueId now = m.input("now", {m.symbol("S")}), all = m.input("all", {m.symbol("T")}),
                past = m.input("past", {m.symbol("P")});
  const ValueId rest = untyped(m, "Slice", {all, extent(m, past, 0), m.ints({INT64_MAX}), m.ints({0})});
  m.output(untyped(m, "Add", {now, rest}));
  EXPECT_EQ(assumed(m), "");
  EXPECT_EQ(related(m), "[S] [S + P] [P]");
}

TEST(AssumedBounds, PositionsOfATableBoundTheLength) {
  GraphMaker m;
  const ValueId x = m.input("x", {m.symbol("N"), m.symbol("S")});
  const ValueId rows = untyped(m, "Slice", {m.floats({1, 4}, {1, 2, 3, 4}), m.ints({0}), extent(m, x, 1), m.ints({1})});
  m.output(untyped(m, "Add", {x, rows}));
  EXPECT_EQ(assumed(m), "S <= 4");
  EXPECT_EQ(to_string(m.g.value(m.g.outputs[0]).type->shape), "[N, S]");
}

// The rows of a constant mask for S new keys after P past ones.
TEST(AssumedBounds, AMaskOfConstantSizeBoundsASum) {
  GraphMaker m;
  const ValueId past = m.input("past", {m.symbol("P")}), now = m.input("now", {m.symbol("S")});
  const ValueId from = extent(m, past, 0), to = untyped(m, "Add", {from, extent(m, now, 0)});
  m.output(untyped(m, "Mul", {untyped(m, "Slice", {m.floats({4}, {1, 2, 3, 4}), from, to}), now}));
  EXPECT_NE(assumed(m).find("P + S <= 4"), std::string::npos);
  EXPECT_EQ(to_string(m.g.value(m.g.outputs[0]).type->shape), "[S]");
}

TEST(AssumedBounds, HalvesThatAreDoubledNeedAnEvenSize) {
  GraphMaker m;
  const ValueId x = m.input("x", {m.symbol("H")});
  const ValueId half = untyped(m, "Slice", {x, m.ints({0}), m.ints({INT32_MAX}), m.ints({0}), m.ints({2})});
  m.output(untyped(m, "Add", {x, untyped(m, "Tile", {half, m.ints({2})})}));
  EXPECT_EQ(assumed(m), "H <= 2*floordiv(H + 1, 2), 2*floordiv(H + 1, 2) <= H");
}

TEST(AssumedBounds, WhatTheLastElementDividesIsNotEmpty) {
  GraphMaker m;
  const ValueId x = m.input("x", {m.symbol("H")});
  m.output(untyped(m, "Div", {x, untyped(m, "Slice", {x, m.ints({-1}), m.ints({INT32_MAX})})}));
  EXPECT_EQ(assumed(m), "1 <= H");
  EXPECT_EQ(to_string(m.g.value(m.g.outputs[0]).type->shape), "[H]");
}

TEST(AssumedBounds, ANegatedDimensionCountsFromTheEnd) {
  GraphMaker m;
  const ValueId x = m.input("x", {m.symbol("K")}), now = m.input("now", {m.symbol("S")});
  const ValueId last = untyped(m, "Slice", {x, untyped(m, "Neg", {extent(m, now, 0)}), m.ints({INT32_MAX})});
  m.output(untyped(m, "Add", {last, now}));
  EXPECT_EQ(assumed(m), "1 <= S, S <= K");
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
