// Models of some of a model's nodes.
#include "cppgen/import/model_cutter.h"

#include "tests/import/model_maker.h"

namespace cppgen {
namespace {

using Names = std::vector<std::string>;

class Cutter : public testing::Test {
 protected:
  ModelCutter cutter(const ModelMaker& model, const std::vector<DimOption>& dims = {}) {
    return ModelCutter(folder.write("m.onnx", model.bytes()), dims);
  }
  static onnx::GraphProto graph_of(const CutModel& cut) {
    onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(cut.bytes));
    EXPECT_NO_THROW(import_onnx_bytes(std::as_bytes(std::span(cut.bytes)), ""));
    return model.graph();
  }
  TempFolder folder;
};

// x -> Relu a -> MatMul(a, w) b -> Add(b, a) y, with a Constant that two nodes read.
ModelMaker chain() {
  ModelMaker m;
  m.input("x", {"N", "2"}).output("y");
  auto& w = m.initializer("w", {2, 2}, onnx::TensorProto::FLOAT);
  for (float v : {1.f, 2.f, 3.f, 4.f}) w.add_float_data(v);
  auto& one = *m.node("Constant", {}, {"one"}).add_attribute();
  one.set_name("value_float"), one.set_type(onnx::AttributeProto::FLOAT), one.set_f(1);
  m.node("Relu", {"x"}, {"a"}, "first");
  m.node("MatMul", {"a", "w"}, {"b"}, "second");
  m.node("Add", {"b", "one"}, {"c"}, "third");
  m.node("Add", {"c", "a"}, {"y"}, "fourth");
  return m;
}

KnownValues known() {
  KnownValues values;
  for (const char* name : {"x", "a", "b", "c", "y"}) values[name] = {DType::f32, {3, 2}};
  return values;
}

TEST_F(Cutter, ConstantsDoNotCount) {
  const ModelCutter c = cutter(chain());
  EXPECT_EQ(c.node_count(), 4u);
  EXPECT_EQ(c.node_text(1), "MatMul \"second\"");
  EXPECT_TRUE(c.has_symbols());
  EXPECT_FALSE(cutter(chain(), {parse_dim_option("N=4")}).has_symbols());
}

TEST_F(Cutter, ValuesAtTheCutBecomeInputsAndOutputs) {
  const CutModel cut = cutter(chain()).cut({1, 2}, known());
  EXPECT_EQ(cut.inputs, Names{"a"});
  EXPECT_EQ(cut.outputs, Names{"c"});
  const onnx::GraphProto graph = graph_of(cut);
  EXPECT_EQ(graph.node_size(), 3) << "with the Constant";
  EXPECT_EQ(graph.initializer_size(), 1);
  EXPECT_EQ(graph.input(0).type().tensor_type().shape().dim(0).dim_value(), 3);
}

TEST_F(Cutter, ValuesThatOtherNodesReadAreOutputs) {
  const CutModel cut = cutter(chain()).cut({0, 1}, known());
  EXPECT_EQ(cut.inputs, Names{"x"});
  EXPECT_EQ(cut.outputs, (Names{"a", "b"}));
  EXPECT_EQ(cutter(chain()).cut({0, 1}, known(), {false, false, {"a"}}).outputs, Names{"b"});
  EXPECT_EQ(cutter(chain()).cut({0, 1, 2, 3}, {}, {true, true}).outputs, (Names{"a", "b", "c", "y"}));
}

TEST_F(Cutter, DimensionsAreThoseOfTheValuesUnlessSymbolsAreKept) {
  const auto dim = [&](const CutOptions& options, const std::vector<DimOption>& dims = {}) {
    return graph_of(cutter(chain(), dims).cut({0}, known(), options)).input(0).type().tensor_type().shape().dim(0);
  };
  EXPECT_EQ(dim({}).dim_value(), 3);
  EXPECT_EQ(dim({true}).dim_param(), "N");
  EXPECT_EQ(dim({true}, {parse_dim_option("N=7")}).dim_value(), 7);
  EXPECT_EQ(dim({true}, {parse_dim_option("x.0=M"), parse_dim_option("M=7")}).dim_param(), "M");
}

TEST_F(Cutter, WhatIsNotKnownIsComputed) {
  KnownValues values = known();
  values.erase("b");
  const CutModel cut = cutter(chain()).cut({2}, values);
  EXPECT_EQ(cut.nodes, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(cut.inputs, Names{"a"});
}

TEST_F(Cutter, KnownElementsBecomeConstants) {
  ModelMaker m;
  m.input("x", {"2", "3"}).output("y");
  m.node("Shape", {"x"}, {"shape"});
  m.node("Reshape", {"x", "shape"}, {"y"});
  KnownValues values;
  values["x"] = values["y"] = {DType::f32, {2, 3}};
  values["shape"] = {DType::i64, {2}, make_ints({2, 3})};
  const CutModel cut = cutter(m).cut({1}, values);
  EXPECT_EQ(cut.inputs, Names{"x"});
  EXPECT_EQ(graph_of(cut).initializer(0).name(), "shape");
}

TEST_F(Cutter, BodiesCaptureValuesAtTheCut) {
  ModelMaker m;
  m.input("x", {"2"}).input("which", {}, onnx::TensorProto::BOOL).output("y");
  m.node("Relu", {"x"}, {"a"});
  auto& branch = m.node("If", {"which"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& attribute = *branch.add_attribute();
    attribute.set_name(name), attribute.set_type(onnx::AttributeProto::GRAPH);
    ModelMaker::add_node(*attribute.mutable_g(), name[0] == 't' ? "Neg" : "Abs", {"a"}, {"r"});
    attribute.mutable_g()->add_output()->set_name("r");
  }
  KnownValues values;
  values["x"] = values["a"] = values["y"] = {DType::f32, {2}};
  values["which"] = {DType::boolean, {}};
  EXPECT_EQ(cutter(m).cut({1}, values).inputs.size(), 2u);
  graph_of(cutter(m).cut({1}, values));
}

TEST_F(Cutter, ExternalWeightsBecomePartOfTheFile) {
  ModelMaker m = chain();
  auto& w = *m.graph.mutable_initializer(0);
  w.clear_float_data();
  w.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& location = *w.add_external_data();
  location.set_key("location"), location.set_value("w.bin");
  folder.write("w.bin", std::string(16, '\1'));
  const CutModel cut = cutter(m).cut({1}, known());
  EXPECT_EQ(graph_of(cut).initializer(0).raw_data(), std::string(16, '\1'));
}

TEST_F(Cutter, FilesThatAreNoModelsAreErrors) {
  const std::string path = folder.write("junk.onnx", "\xff\xff");
  EXPECT_TRUE(error_of([&] { ModelCutter{path}; }).starts_with(path + ": not an ONNX model"));
}

}  // namespace
}  // namespace cppgen
