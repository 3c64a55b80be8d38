#include "cppgen/passes/infer_types.h"

#include "runtime/base/errors.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

// Adds a node without inferring its type.
ValueId untyped(GraphMaker& m, const std::string& op, std::vector<ValueId> inputs,
                std::map<std::string, Attribute> attributes = {}) {
  ValueId out = m.g.add_value(op + std::to_string(m.g.nodes.size()));
  m.g.add_node(op, std::move(inputs), {out}, m.opset).attributes = std::move(attributes);
  return out;
}

TEST(InferTypes, TypesEveryValue) {
  GraphMaker m;
  ValueId x = m.input("x", {m.symbol("N"), 3}), y = untyped(m, "Relu", {x});
  infer_node_types(m.output(y).g, {});
  EXPECT_EQ(to_string(*m.g.value(y).type), "float32[N, 3]");
}

TEST(InferTypes, ShapesThroughFloatsAreFoldedOnTheWay) {
  // Reshape(x, Cast(Cast(Shape(x)) * [1, 2] / 2)): the dimensions pass through float32.
  GraphMaker m;
  ValueId x = m.input("x", {4, 6});
  ValueId f = untyped(m, "Cast", {untyped(m, "Shape", {x})}, {{"to", int64_t{1}}});
  ValueId scaled = untyped(m, "Mul", {f, m.floats({2}, {0.5, 2})});
  ValueId y = untyped(m, "Reshape", {x, untyped(m, "Cast", {scaled}, {{"to", int64_t{7}}})});
  infer_node_types(m.output(y).g, {});
  EXPECT_EQ(to_string(m.g.value(y).type->shape), "[2, 12]");
  verify(m.g);
}

TEST(InferTypes, KnownContentsBecomeConstants) {
  GraphMaker m;
  ValueId x = m.input("x", {4, m.symbol("N")});
  ValueId fixed = untyped(m, "Gather", {untyped(m, "Shape", {x}), m.ints({0})});
  ValueId symbolic = untyped(m, "Gather", {untyped(m, "Shape", {x}), m.ints({1})});
  infer_node_types(m.output(fixed).output(symbolic).g, {});
  ASSERT_TRUE(m.g.value(fixed).constant);
  EXPECT_EQ(integers_of(*m.g.value(fixed).constant), std::vector<int64_t>{4});
  EXPECT_FALSE(m.g.value(symbolic).constant);
  ASSERT_TRUE(m.g.value(symbolic).contents);
  EXPECT_EQ(to_string(*m.g.value(symbolic).contents), "[N]");
}

TEST(InferTypes, NamesTheNodeThatFails) {
  GraphMaker m;
  ValueId x = m.input("x", {2, 3}), y = m.input("y", {4, 5});
  ValueId out = untyped(m, "MatMul", {x, y});
  m.g.nodes[0].name = "product";
  m.output(out);
  try {
    infer_node_types(m.g, {});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("product"), std::string::npos) << e.what();
  }
}

TEST(InferTypes, NamesEveryNodeThatFailsButNotThoseBehindThem) {
  GraphMaker m;
  ValueId x = m.input("x", {2, 3}), y = m.input("y", {4, 5});
  ValueId first = untyped(m, "And", {x, x});
  ValueId behind = untyped(m, "Not", {first});
  ValueId second = untyped(m, "MatMul", {x, y});
  ValueId fine = untyped(m, "Relu", {x});
  ValueId third = untyped(m, "Concat", {fine});
  const char* names[] = {"first", "behind", "second", "fine", "third"};
  for (size_t i = 0; i < std::size(names); i++) m.g.nodes[i].name = names[i];
  m.output(behind).output(second).output(third);
  for (bool together : {false, true}) try {
      infer_node_types(m.g, {}, together);
      FAIL();
    } catch (const UserError& e) {
      const std::string text = e.what();
      const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
      EXPECT_TRUE(has("second")) << text;
      EXPECT_EQ(has("3 nodes are not supported"), together) << text;
      EXPECT_EQ(has("first") && has("third"), together) << text;
      EXPECT_FALSE(has("behind") || has("fine")) << text;
    }
}

}  // namespace
}  // namespace cppgen::passes
