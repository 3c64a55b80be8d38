#include "cppgen/passes/passes.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

// The operators that remain; the results must keep every bit.
Ops after(GraphMaker& m) {
  auto before = run(m.g);
  canonicalize(m.g);
  verify(m.g);
  eliminate_dead_code(m.g);
  verify(m.g);
  expect_same_bits(before, run(m.g));
  return op_names(m.g);
}

using Ints = std::vector<int64_t>;

// One test per row: what stands between a Neg and an Abs of float32[2, 3, 1, 4], and what remains of it.
struct Row {
  const char* name;
  std::function<ValueId(GraphMaker&, ValueId)> make;
  Ops remains;
};

TEST(Canonicalize, WhatChangesNothingGoes) {
  const std::vector<Row> rows = {
      {"Identity", [](auto& m, ValueId x) { return m.node("Identity", {x}); }, {}},
      {"Dropout", [](auto& m, ValueId x) { return m.node("Dropout", {x}); }, {}},
      {"Cast",
       [](auto& m, ValueId x) {
         return m.node("Cast", {x}, {{"to", int64_t{1}}});
       },
       {}},
      {"Reshape",
       [](auto& m, ValueId x) {
         return m.node("Reshape", {x, m.ints({0, 3, -1, 4})});
       },
       {}},
      {"Expand",
       [](auto& m, ValueId x) {
         return m.node("Expand", {x, m.ints({3, 1, 1})});
       },
       {}},
      {"larger Expand",
       [](auto& m, ValueId x) {
         return m.node("Expand", {x, m.ints({3, 2, 4})});
       },
       {"Expand"}},
      {"Tile",
       [](auto& m, ValueId x) {
         return m.node("Tile", {x, m.ints({1, 1, 1, 1})});
       },
       {}},
      {"Pad",
       [](auto& m, ValueId x) {
         return m.node("Pad", {x, m.ints({0, 0, 0, 0, 0, 0, 0, 0})});
       },
       {}},
      {"shifting Pad",
       [](auto& m, ValueId x) {
         return m.node("Pad", {x, m.ints({0, 1, 0, 0, 0, -1, 0, 0})});
       },
       {"Pad"}},
      {"Slice",
       [](auto& m, ValueId x) {
         return m.node("Slice", {x, m.ints({0}), m.ints({99}), m.ints({3})});
       },
       {}},
      {"reversing Slice",
       [](auto& m, ValueId x) {
         return m.node("Slice", {x, m.ints({-1}), m.ints({-99}), m.ints({3}), m.ints({-1})});
       },
       {"Slice"}},
      {"Concat",
       [](auto& m, ValueId x) {
         return m.node("Concat", {x}, {{"axis", int64_t{1}}});
       },
       {}},
      {"Sum", [](auto& m, ValueId x) { return m.node("Sum", {x}); }, {}},
      {"Sum of two",
       [](auto& m, ValueId x) {
         return m.node("Sum", {x, x});
       },
       {"Add"}},
      {"Transpose",
       [](auto& m, ValueId x) {
         return m.node("Transpose", {x}, {{"perm", Ints{0, 1, 2, 3}}});
       },
       {}},
      {"Transpose of a unit dimension",
       [](auto& m, ValueId x) {
         return m.node("Transpose", {x}, {{"perm", Ints{0, 1, 3, 2}}});
       },
       {"Reshape"}},
      {"there and back",
       [](auto& m, ValueId x) {
         ValueId t = m.node("Transpose", {x}, {{"perm", Ints{3, 0, 1, 2}}});
         return m.node("Transpose", {t}, {{"perm", Ints{1, 2, 3, 0}}});
       },
       {}},
      {"two Transposes",
       [](auto& m, ValueId x) {
         ValueId t = m.node("Transpose", {x}, {{"perm", Ints{3, 0, 1, 2}}});
         return m.node("Transpose", {t}, {{"perm", Ints{3, 2, 1, 0}}});
       },
       {"Transpose"}},
      {"Unsqueeze and Squeeze",
       [](auto& m, ValueId x) {
         return m.node("Squeeze", {m.node("Unsqueeze", {x, m.ints({0})}), m.ints({0})});
       },
       {}},
      {"Squeeze",
       [](auto& m, ValueId x) {
         return m.node("Squeeze", {x, m.ints({2})});
       },
       {"Reshape"}},
      {"chain of reshapes",
       [](auto& m, ValueId x) {
         ValueId f = m.node("Flatten", {m.node("Squeeze", {x, m.ints({2})})}, {{"axis", int64_t{1}}});
         return m.node("Reshape", {f, m.ints({0, 4, -1})});
       },
       {"Reshape"}},
      {"x + 0",
       [](auto& m, ValueId x) {
         return m.node("Add", {x, m.floats({}, {0.0})});
       },
       {"Add"}},
      {"x + -0",
       [](auto& m, ValueId x) {
         return m.node("Add", {x, m.floats({}, {-0.0})});
       },
       {}},
      {"x - 0",
       [](auto& m, ValueId x) {
         return m.node("Sub", {x, m.floats({}, {0.0})});
       },
       {}},
      {"0 - x",
       [](auto& m, ValueId x) {
         return m.node("Sub", {m.floats({}, {0.0}), x});
       },
       {"Sub"}},
      {"1 * x",
       [](auto& m, ValueId x) {
         return m.node("Mul", {m.floats({1, 1}, {1}), x});
       },
       {}},
      {"growing x * 1",
       [](auto& m, ValueId x) {
         return m.node("Mul", {m.floats({1, 1, 1, 1, 1}, {1}), x});
       },
       {"Mul"}},
      {"x / 1",
       [](auto& m, ValueId x) {
         return m.node("Div", {x, m.floats({}, {1})});
       },
       {}},
      {"x / 8",
       [](auto& m, ValueId x) {
         return m.node("Div", {x, m.floats({}, {8})});
       },
       {"Mul"}},
      {"x / 3",
       [](auto& m, ValueId x) {
         return m.node("Div", {x, m.floats({}, {3})});
       },
       {"Div"}},
      {"x ^ 1",
       [](auto& m, ValueId x) {
         return m.node("Pow", {x, m.floats({}, {1})});
       },
       {}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    GraphMaker m;
    ValueId x = m.node("Neg", {m.input("x", {2, 3, 1, 4})});
    m.output(m.node("Abs", {row.make(m, x)}));
    Ops expected{"Neg"};
    expected.insert(expected.end(), row.remains.begin(), row.remains.end());
    expected.push_back("Abs");
    EXPECT_EQ(after(m), expected);
  }
}

TEST(Canonicalize, OneSymbolicDimensionIsWrittenMinusOne) {
  GraphMaker m;
  ValueId x = m.node("Neg", {m.input("x", {m.symbol("N"), 1, 3})});
  m.output(m.node("Squeeze", {x, m.ints({1})}));
  EXPECT_EQ(after(m), (Ops{"Neg", "Reshape"}));
  EXPECT_EQ(integers_of(*m.g.value(m.g.nodes[1].inputs[1]).constant), (Ints{-1, 3}));
}

TEST(Canonicalize, TwoSymbolicDimensionsStay) {
  GraphMaker m;
  ValueId x = m.node("Neg", {m.input("x", {m.symbol("N"), 1, m.symbol("M")})});
  m.output(m.node("Squeeze", {x, m.ints({1})}));
  EXPECT_EQ(after(m), (Ops{"Neg", "Squeeze"}));
}

TEST(Canonicalize, EmptyTensors) {
  GraphMaker m;
  ValueId x = m.node("Neg", {m.input("x", {0, 1, 3})});
  m.output(m.node("Squeeze", {x, m.ints({1})}));
  EXPECT_EQ(after(m), (Ops{"Neg", "Reshape"}));
  EXPECT_EQ(to_string(m.g.value(m.g.outputs[0]).type->shape), "[0, 3]");
}

TEST(Canonicalize, DropoutKeepsItsMaskIfRead) {
  GraphMaker m;
  ValueId x = m.input("x", {2}), y = m.g.add_value("y"), mask = m.g.add_value("mask");
  Node& n = m.g.add_node("Dropout", {x}, {y, mask}, 17);
  ops::infer_node(m.g, n.id);
  m.output(m.node("Neg", {y})).output(mask);
  EXPECT_EQ(after(m), (Ops{"Dropout", "Neg"}));
}

TEST(Canonicalize, AnOutputThatIsAnInputIsStillCopied) {
  GraphMaker m;
  ValueId y = m.node("Identity", {m.input("x", {2})});
  m.g.value(y).name = "y";
  m.output(y);
  EXPECT_EQ(after(m), Ops{"Identity"});
  EXPECT_EQ(m.g.value(m.g.outputs[0]).name, "y");
}

Ops after_scatter(const Shape& updates, int64_t axis, Shape column) {
  GraphMaker m(18);
  column.push_back(9);
  const ValueId rows = m.node("ArgMax", {m.input("scores", column)}, {{"axis", int64_t{2}}, {"keepdims", int64_t{0}}});
  const ValueId indices = m.node("Expand", {rows, m.ints({4, updates[1].constant()})});
  m.output(m.node("ScatterElements", {m.input("x", {9, axis == 1 ? 9 : 3}), indices, m.input("u", updates)},
                  {{"axis", axis}, {"reduction", std::string("add")}}));
  return after(m);
}

TEST(Canonicalize, ScattersOfEqualIndicesInRowsMoveRows) {
  EXPECT_EQ(after_scatter({4, 3}, 0, {4, 1}), (Ops{"ArgMax", "ScatterND"}));
  EXPECT_EQ(after_scatter({4, 3}, -2, {4, 1}), (Ops{"ArgMax", "ScatterND"}));
  EXPECT_EQ(after_scatter({4, 2}, 0, {4, 1}), (Ops{"ArgMax", "Expand", "ScatterElements"}));  // parts of rows
  EXPECT_EQ(after_scatter({4, 3}, 1, {4, 1}), (Ops{"ArgMax", "Expand", "ScatterElements"}));
  EXPECT_EQ(after_scatter({4, 3}, 0, {1, 3}), (Ops{"ArgMax", "Expand", "ScatterElements"}));
}

}  // namespace
}  // namespace cppgen::passes
