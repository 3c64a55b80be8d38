#include "cppgen/import/import.h"

#include "cppgen/graph/string_elements.h"
#include "tests/import/model_maker.h"

namespace cppgen {
namespace {

ModelMaker relu_chain() {
  ModelMaker m;
  m.input("x", {"2", "3"}).output("y");
  m.node("Relu", {"a"}, {"y"}, "second");
  m.node("Relu", {"x"}, {"a"}, "first");
  return m;
}

std::vector<std::string> node_names(const Graph& g) {
  std::vector<std::string> names;
  for (const Node& n : g.nodes) names.push_back(n.name);
  return names;
}

TEST(Import, SortsNodes) {
  Graph g = relu_chain().import();
  EXPECT_EQ(node_names(g), (std::vector<std::string>{"first", "second"}));
  ASSERT_EQ(g.inputs.size(), 1u);
  EXPECT_EQ(to_string(*g.value(g.inputs[0]).type), "float32[2, 3]");
  EXPECT_EQ(g.value(g.outputs[0]).name, "y");
  EXPECT_EQ(g.opsets.at(""), 17);
  EXPECT_EQ(g.nodes[0].opset, 17);
}

TEST(Import, KeepsTheOrderOfASortedFile) {
  ModelMaker m;
  m.input("x", {"2"}).output("d");
  m.node("Relu", {"x"}, {"a"}, "n0");
  m.node("Relu", {"x"}, {"b"}, "n1");
  m.node("Relu", {"a"}, {"c"}, "n2");
  m.node("Add", {"c", "b"}, {"d"}, "n3");
  EXPECT_EQ(node_names(m.import()), (std::vector<std::string>{"n0", "n1", "n2", "n3"}));
}

TEST(Import, UnnamedNodesGetOperatorAndPosition) {
  ModelMaker m;
  m.input("x", {"2"}).output("y");
  m.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(m.import().nodes[0].name, "Relu#0");
}

TEST(Import, AbsentOptionalsAreNoValue) {
  ModelMaker m;
  m.input("x", {"2"}).output("y");
  m.node("Clip", {"x", "", "x"}, {"y", ""});
  m.node("Clip", {"x", "", ""}, {"z"});
  Graph g = m.import();
  EXPECT_EQ(g.nodes[0].inputs, (std::vector<ValueId>{g.inputs[0], kNoValue, g.inputs[0]}));
  EXPECT_EQ(g.nodes[0].outputs.size(), 1u);
  EXPECT_EQ(g.nodes[1].inputs.size(), 1u);
}

TEST(Import, ConstantNodesBecomeConstants) {
  ModelMaker m;
  m.output("c").output("f");
  auto& a = *m.node("Constant", {}, {"c"}).add_attribute();
  a.set_name("value_ints");
  a.set_type(onnx::AttributeProto::INTS);
  a.add_ints(4);
  a.add_ints(-5);
  auto& b = *m.node("Constant", {}, {"f"}).add_attribute();
  b.set_name("value_float");
  b.set_type(onnx::AttributeProto::FLOAT);
  b.set_f(2.5f);
  Graph g = m.import();
  EXPECT_TRUE(g.nodes.empty());
  EXPECT_EQ(integers_of(*g.value(g.outputs[0]).constant), (std::vector<int64_t>{4, -5}));
  EXPECT_EQ(to_string(*g.value(g.outputs[1]).type), "float32[]");
  EXPECT_EQ(*g.value(g.outputs[1]).constant->as<float>(), 2.5f);
}

TEST(Import, InitializersThatAreInputsAreConstants) {
  ModelMaker m;
  m.input("x", {"1"}).input("w", {"1"}).output("y");
  m.initializer("w", {1}, onnx::TensorProto::FLOAT).add_float_data(1);
  m.node("Add", {"x", "w"}, {"y"});
  Graph g = m.import();
  EXPECT_EQ(g.inputs.size(), 1u);
  EXPECT_TRUE(g.value(g.nodes[0].inputs[1]).constant);
}

TEST(Import, Attributes) {
  ModelMaker m;
  m.input("x", {"1"}).output("y");
  auto& n = m.node("Relu", {"x"}, {"y"});
  auto add = [&](const char* name, auto type) -> onnx::AttributeProto& {
    auto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(type);
    return a;
  };
  add("i", onnx::AttributeProto::INT).set_i(-7);
  add("f", onnx::AttributeProto::FLOAT).set_f(0.5f);
  add("s", onnx::AttributeProto::STRING).set_s("text");
  add("is", onnx::AttributeProto::INTS).add_ints(3);
  add("none", onnx::AttributeProto::INTS);
  add("fs", onnx::AttributeProto::FLOATS).add_floats(1.5f);
  add("ss", onnx::AttributeProto::STRINGS).add_strings("u");
  auto g = m.import();
  const auto& a = g.nodes[0].attributes;
  EXPECT_EQ(std::get<int64_t>(a.at("i")), -7);
  EXPECT_EQ(std::get<float>(a.at("f")), 0.5f);
  EXPECT_EQ(std::get<std::string>(a.at("s")), "text");
  EXPECT_EQ(std::get<std::vector<int64_t>>(a.at("is")), std::vector<int64_t>{3});
  EXPECT_TRUE(std::get<std::vector<int64_t>>(a.at("none")).empty());
  EXPECT_EQ(std::get<std::vector<float>>(a.at("fs")), std::vector<float>{1.5f});
  EXPECT_EQ(std::get<std::vector<std::string>>(a.at("ss")), std::vector<std::string>{"u"});
}

// Nests an If in an If ...: `levels` bodies, the innermost uses x, w of the model's graph.
ModelMaker nested(int levels) {
  ModelMaker m;
  m.input("x", {"2"}).input("c", {}, onnx::TensorProto::BOOL).output("y0");
  m.initializer("w", {2}, onnx::TensorProto::FLOAT).add_float_data(1);
  m.graph.mutable_initializer(0)->add_float_data(2);
  onnx::GraphProto* g = &m.graph;
  for (int i = 0; i < levels; i++) {
    auto& a = *ModelMaker::add_node(*g, "If", {"c"}, {"y" + std::to_string(i)}).add_attribute();
    a.set_name("then_branch");
    a.set_type(onnx::AttributeProto::GRAPH);
    g = a.mutable_g();
    g->add_output()->set_name("y" + std::to_string(i + 1));
  }
  ModelMaker::add_node(*g, "Add", {"x", "w"}, {"y" + std::to_string(levels)});
  return m;
}

TEST(Import, BodiesAreClosedOverTheirCaptures) {
  Graph g = nested(2).import();
  const Node& outer = g.nodes[0];
  const auto& body = std::get<std::shared_ptr<Graph>>(outer.attributes.at("then_branch"));
  const auto& captures = outer.captures("then_branch");
  EXPECT_EQ(body->index, g.index);
  ASSERT_EQ(captures.size(), body->inputs.size());
  for (size_t i = 0; i < captures.size(); i++)
    EXPECT_EQ(g.value(outer.inputs[size_t(captures[i])]).name, body->value(body->inputs[i]).name);
  const Node& inner = body->nodes[0];
  const auto& innermost = *std::get<std::shared_ptr<Graph>>(inner.attributes.at("then_branch"));
  ASSERT_EQ(innermost.inputs.size(), 1u);  // x; the constant w is copied, not captured
  EXPECT_EQ(innermost.value(innermost.inputs[0]).name, "x");
  const Value& w = innermost.value(innermost.nodes[0].inputs[1]);
  ASSERT_TRUE(w.constant);
  EXPECT_EQ(numbers_of(*w.constant), (std::vector<double>{1, 2}));
}

TEST(Import, BoundsNesting) {
  EXPECT_NO_THROW(nested(kMaxGraphNesting).import());
  EXPECT_NE(error_of(nested(kMaxGraphNesting + 1)).find("nested more than 16 levels deep"), std::string::npos);
  EXPECT_NE(error_of(nested(200)).find("nested too deep"), std::string::npos);  // protobuf's own bound
}

TEST(Import, BodiesOrderNodesByWhatTheyCapture) {
  ModelMaker m = nested(1);
  m.graph.mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(0, "late");
  m.node("Relu", {"x"}, {"late"}, "producer");
  EXPECT_EQ(m.import().nodes[0].name, "producer");
}

TEST(ImportErrors, Cycle) {
  ModelMaker m;
  m.input("x", {"1"}).output("a");
  m.node("Add", {"x", "b"}, {"a"}, "p");
  m.node("Relu", {"a"}, {"b"}, "q");
  m.node("Relu", {"b"}, {"c"}, "r");
  EXPECT_EQ(error_of(m), "m.onnx: nodes form a cycle: Relu \"q\" -> Add \"p\"");
}

TEST(ImportErrors, Names) {
  ModelMaker undefined = relu_chain();
  undefined.graph.mutable_node(0)->set_input(0, "nope");
  EXPECT_EQ(error_of(undefined), "m.onnx: node \"second\" (Relu): input \"nope\" is not defined");

  ModelMaker twice = relu_chain();
  twice.node("Relu", {"x"}, {"a"}, "third");
  EXPECT_EQ(error_of(twice), "m.onnx: value \"a\" is defined twice: by Relu \"first\" and by Relu \"third\"");

  ModelMaker shadow = relu_chain();
  shadow.node("Relu", {"a"}, {"x"}, "third");
  EXPECT_NE(error_of(shadow).find("cycle"), std::string::npos);

  ModelMaker input_twice = relu_chain();
  input_twice.input("x", {"1"});
  EXPECT_EQ(error_of(input_twice), "m.onnx: value \"x\" is defined twice");

  ModelMaker output = relu_chain();
  output.output("z");
  EXPECT_EQ(error_of(output), "m.onnx: output \"z\" is not defined");
}

TEST(ImportErrors, Versions) {
  ModelMaker opset = relu_chain();
  opset.model.mutable_opset_import(0)->set_version(0);
  EXPECT_EQ(error_of(opset), "m.onnx: operator set 0 of domain \"ai.onnx\": no such version");
  opset.model.mutable_opset_import(0)->set_version(kNewestOpset + 1);  // with a warning
  EXPECT_EQ(opset.import().nodes[0].opset, kNewestOpset + 1);
  ModelMaker none = relu_chain();
  none.model.clear_opset_import();
  EXPECT_EQ(error_of(none), "m.onnx: the model imports no operator set");
  ModelMaker ir = relu_chain();
  ir.model.set_ir_version(2);
  EXPECT_EQ(error_of(ir), "m.onnx: IR version 2 is not supported; 3 or later is required");
  ModelMaker domain = relu_chain();
  domain.graph.mutable_node(0)->set_domain("com.x");
  EXPECT_EQ(error_of(domain), "m.onnx: node \"second\" (Relu): the model imports no operator set of domain \"com.x\"");
  ModelMaker twice = relu_chain();
  auto* other = twice.model.add_opset_import();
  other->set_domain("ai.onnx");
  other->set_version(13);
  EXPECT_EQ(error_of(twice), "m.onnx: domain \"\" is imported in versions 17 and 13");
  for (int version : {1, 7, 22, 24}) EXPECT_NO_THROW(ModelMaker(version).import());
}

TEST(ImportErrors, TypesOfInputs) {
  ModelMaker text = relu_chain();
  text.input("s", {"1"}, onnx::TensorProto::STRING);
  const Graph with_text = text.import();
  EXPECT_TRUE(is_string_tensor(with_text.value(with_text.inputs.back())));
  ModelMaker later = relu_chain();
  later.input("s", {"1"}, 15);
  EXPECT_EQ(error_of(later), "m.onnx: input \"s\" has element type complex128, which is not supported");
  ModelMaker sequence = relu_chain();
  auto* v = sequence.graph.add_input();
  v->set_name("q");
  v->mutable_type()->mutable_sequence_type();
  EXPECT_EQ(error_of(sequence),
            "m.onnx: input \"q\" is a sequence whose elements are not tensors, which is not supported");
  ModelMaker unranked = relu_chain();
  auto* u = unranked.graph.add_input();
  u->set_name("u");
  u->mutable_type()->mutable_tensor_type()->set_elem_type(1);
  EXPECT_EQ(error_of(unranked), "m.onnx: input \"u\" has no shape; its number of dimensions must be known");
}

// A sparse initializer of 2 x 3 elements with the value 7 at this position.
std::string error_of_sparse(const std::vector<int64_t>& positions, std::vector<int64_t> position_dims,
                            std::vector<int64_t> dims = {2, 3}) {
  ModelMaker m = relu_chain();
  onnx::SparseTensorProto& s = *m.graph.add_sparse_initializer();
  s.mutable_values()->set_name("sp");
  s.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  s.mutable_values()->add_dims(1);
  s.mutable_values()->add_float_data(7);
  s.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  for (int64_t d : position_dims) s.mutable_indices()->add_dims(d);
  for (int64_t p : positions) s.mutable_indices()->add_int64_data(p);
  for (int64_t d : dims) s.add_dims(d);
  return error_of(m);
}

TEST(ImportErrors, SparseTensors) {
  const std::string name = "m.onnx: initializer \"sp\" ";
  EXPECT_EQ(error_of_sparse({6}, {1}), name + "has the position 6 among 6 elements");
  EXPECT_EQ(error_of_sparse({-1}, {1}), name + "has the position -1 among 6 elements");
  EXPECT_EQ(error_of_sparse({0, 3}, {1, 2}), name + "has the position 3 along dimension 1 of size 3");
  EXPECT_EQ(error_of_sparse({0, 1}, {2}),
            name + "is sparse and does not have an int64 position for each of its 1 values");
  EXPECT_EQ(
      error_of_sparse({0}, {1}, {1 << 20, 1 << 20}),
      name + "is sparse and takes 4398046511104 bytes when dense; at most 114688 are allowed for its number of values");
}

TEST(ImportErrors, Unsupported) {
  ModelMaker attribute = relu_chain();
  auto* a = attribute.graph.mutable_node(0)->add_attribute();
  a->set_name("alpha");
  a->set_type(onnx::AttributeProto::TENSORS);
  EXPECT_EQ(error_of(attribute),
            "m.onnx: node \"second\" (Relu): attribute \"alpha\" is of kind TENSORS, which is not supported");
}

TEST(ImportErrors, Files) {
  TempFolder folder;
  std::string missing = (folder.path / "no.onnx").string();
  EXPECT_EQ(error_of([&] { import_onnx(missing); }), missing + ": cannot open: No such file or directory");
  std::string empty = folder.write("empty.onnx", "");
  EXPECT_EQ(error_of([&] { import_onnx(empty); }), empty + ": the file is empty");
  std::string text = folder.write("text.onnx", "hello");
  EXPECT_NE(error_of([&] { import_onnx(text); }).find("not an ONNX model"), std::string::npos);
  EXPECT_EQ(error_of([&] { import_onnx(folder.path.string()); }), folder.path.string() + ": not a regular file");
  std::string huge = folder.write("huge.onnx", "");
  std::filesystem::resize_file(huge, int64_t{1} << 31);
  EXPECT_NE(error_of([&] { import_onnx(huge); }).find("smaller than 2 GiB"), std::string::npos);
}

}  // namespace
}  // namespace cppgen
