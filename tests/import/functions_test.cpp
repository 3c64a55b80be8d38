// Functions that a model defines: what is refused, and how what comes out of them is named.
#include "tests/import/function_maker.h"

namespace cppgen {
namespace {

ModelMaker model_with_one_call(const std::string& function = "Twice") {
  ModelMaker m;
  m.input("x", {"2"}).output("y");
  call_function(m, function, {"x"}, {"y"}, "call");
  return m;
}

FunctionMaker twice(ModelMaker& m) {
  FunctionMaker f(m, "Twice", {"a"}, {"b"});
  f.node("Add", {"a", "a"}, {"b"}, "inner");
  return f;
}

std::vector<std::string> node_names(const Graph& g) {
  std::vector<std::string> names;
  for (const Node& n : g.nodes) names.push_back(n.name);
  return names;
}

bool says(const ModelMaker& m, const std::string& what) {
  const std::string error = error_of(m);
  EXPECT_NE(error.find(what), std::string::npos) << error;
  return error.find("\"call") != std::string::npos;
}

TEST(Functions, BodiesTakeThePlaceOfCalls) {
  ModelMaker m = model_with_one_call();
  twice(m);
  const Graph g = m.import();
  EXPECT_EQ(node_names(g), std::vector<std::string>{"call/inner"});
  EXPECT_EQ(g.value(g.outputs[0]).name, "y");
  EXPECT_EQ(g.nodes[0].opset, 17);
}

TEST(Functions, NodesOfTwoCallsHaveTwoNames) {
  ModelMaker m;
  m.input("x", {"2"}).output("y");
  for (const auto& [in, out] : {std::pair{"x", "p"}, {"p", "q"}}) call_function(m, "Twice", {in}, {out}, "same");
  call_function(m, "Twice", {"q"}, {"r"});
  m.node("Relu", {"r"}, {"y"}, "same/inner");
  twice(m);
  EXPECT_EQ(node_names(m.import()),
            (std::vector<std::string>{"same/inner", "same~2/inner", "Twice#2/inner", "same/inner"}));
}

TEST(Functions, HaveOperatorSetsOfTheirOwn) {
  ModelMaker m = model_with_one_call();
  FunctionMaker f(m, "Twice", {"a"}, {"b"}, 13);
  f.node("Relu", {"a"}, {"b"});
  EXPECT_EQ(m.import().nodes[0].opset, 13);
  f.proto.mutable_opset_import(0)->set_version(0);
  EXPECT_TRUE(says(m, "operator set 0 of domain"));
  f.proto.clear_opset_import();
  EXPECT_TRUE(says(m, "function \"f.Twice\" imports no operator set of domain \"\""));
}

TEST(Functions, OverrideOperators) {
  ModelMaker m;
  m.input("x", {"2"}).output("y");
  m.node("Relu", {"x"}, {"y"}, "call");
  FunctionMaker f(m, "Relu", {"a"}, {"b"});
  f.proto.set_domain("ai.onnx");
  f.node("Neg", {"a"}, {"b"}, "inner");
  EXPECT_EQ(m.import().nodes[0].op, "Neg");
}

TEST(Functions, AreToldApartByTheirOverload) {
  ModelMaker m = model_with_one_call();
  twice(m);
  FunctionMaker other(m, "Twice", {"a"}, {"b"});
  other.set_overload("neg");
  other.node("Neg", {"a"}, {"b"});
  EXPECT_EQ(m.import().nodes[0].op, "Add");
  auto& node = *m.graph.mutable_node(0);
  node.GetReflection()->MutableUnknownFields(&node)->AddLengthDelimited(8, "neg");
  EXPECT_EQ(m.import().nodes[0].op, "Neg");
}

TEST(Functions, AnAttributeIsGivenOrHasADefaultOrIsAbsent) {
  ModelMaker m = model_with_one_call("Turn");
  FunctionMaker f(m, "Turn", {"a"}, {"b"});
  refer(f.node("Softmax", {"a"}, {"b"}), "axis", "where");
  EXPECT_TRUE(says(m, "attribute \"axis\" refers to \"where\", which function \"f.Turn\" does not declare"));
  f.proto.add_attribute("where");
  EXPECT_TRUE(m.import().nodes[0].attributes.empty());
  f.proto.clear_attribute();
  f.add_default(integer_attribute("where", 5));
  EXPECT_EQ(std::get<int64_t>(m.import().nodes[0].attributes.at("axis")), 5);
  *m.graph.mutable_node(0)->add_attribute() = integer_attribute("where", 7);
  EXPECT_EQ(std::get<int64_t>(m.import().nodes[0].attributes.at("axis")), 7);
  m.graph.mutable_node(0)->mutable_attribute(0)->set_type(onnx::AttributeProto::FLOAT);
  EXPECT_TRUE(says(m, "attribute \"axis\" is of kind INT, but the call gives \"where\" of kind FLOAT"));
  f.add_default(integer_attribute("where", 5));
  EXPECT_TRUE(says(m, "attribute \"where\" has two defaults"));
}

TEST(Functions, RecursionIsRefused) {
  ModelMaker direct = model_with_one_call("F");
  FunctionMaker(direct, "F", {"a"}, {"b"}).call("F", {"a"}, {"b"}, "again");
  EXPECT_TRUE(says(direct, "node \"call/again\" (F): functions must not be recursive: \"f.F\" -> \"f.F\""));
  ModelMaker mutual = model_with_one_call("F");
  FunctionMaker(mutual, "F", {"a"}, {"b"}).call("G", {"a"}, {"b"});
  FunctionMaker(mutual, "G", {"a"}, {"b"}).call("F", {"a"}, {"b"});
  EXPECT_TRUE(says(mutual, "\"f.F\" -> \"f.G\" -> \"f.F\""));
}

ModelMaker chain(int levels, int calls) {
  ModelMaker m = model_with_one_call("F0");
  for (int i = 0; i < levels; i++) {
    FunctionMaker f(m, "F" + std::to_string(i), {"a"}, {"v0"});
    for (int k = 0; k < calls; k++) f.call("F" + std::to_string(i + 1), {"a"}, {"v" + std::to_string(k)});
  }
  FunctionMaker(m, "F" + std::to_string(levels), {"a"}, {"v0"}).node("Relu", {"a"}, {"v0"});
  return m;
}

TEST(Functions, WhatCallsComeToIsBounded) {
  EXPECT_EQ(chain(30, 1).import().nodes.size(), 1u);
  EXPECT_TRUE(says(chain(100, 1), "more than 64 levels"));
  EXPECT_TRUE(says(chain(40, 2), "more than 250000 nodes"));
}

TEST(Functions, CallsThatDoNotFitAreRefused) {
  ModelMaker m = model_with_one_call();
  FunctionMaker f = twice(m);
  m.graph.mutable_node(0)->add_input("x");
  EXPECT_TRUE(says(m, "2 inputs are given, but function \"f.Twice\" has 1"));
  m.graph.mutable_node(0)->mutable_input()->RemoveLast();
  m.graph.mutable_node(0)->add_output("z");
  EXPECT_TRUE(says(m, "2 outputs are requested, but function \"f.Twice\" has 1"));
  m.graph.mutable_node(0)->mutable_output()->RemoveLast();
  f.proto.mutable_node(0)->set_input(1, "x");
  EXPECT_TRUE(says(m, "node \"call/inner\" (Add): input \"x\" is not defined"));
  f.proto.mutable_node(0)->set_input(1, "a");
  f.proto.set_output(0, "c");
  EXPECT_TRUE(says(m, "output \"c\" of function \"f.Twice\" is not defined"));
  f.proto.set_output(0, "a");
  m.graph.mutable_node(0)->set_input(0, "");
  EXPECT_TRUE(says(m, "output \"a\" of function \"f.Twice\" is an absent input"));
  f.proto.add_input("a");
  EXPECT_TRUE(says(m, "value \"a\" is defined twice"));
  twice(m);
  says(m, "function \"f.Twice\" is defined twice");
}

}  // namespace
}  // namespace cppgen
