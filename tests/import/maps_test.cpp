// Inputs that are maps: keys and values in their place, and what is refused.
#include <onnx/onnx-data_pb.h>

#include "cppgen/graph/string_elements.h"
#include "cppgen/import/summary.h"
#include "cppgen/import/test_data.h"
#include "cppgen/ops/op.h"
#include "tests/import/model_maker.h"

namespace cppgen {
namespace {

constexpr int kText = onnx::TensorProto::STRING, kInt = onnx::TensorProto::INT64, kFloat = onnx::TensorProto::FLOAT;

void set_map(onnx::TypeProto& type, int key = kText, int value = kFloat) {
  type.mutable_map_type()->set_key_type(key);
  type.mutable_map_type()->mutable_value_type()->mutable_tensor_type()->set_elem_type(value);
}

onnx::TypeProto::Map& add_map(ModelMaker& m, const std::string& name, int key = kText, int value = kFloat) {
  onnx::ValueInfoProto& input = *m.graph.add_input();
  input.set_name(name);
  set_map(*input.mutable_type(), key, value);
  return *input.mutable_type()->mutable_map_type();
}

onnx::NodeProto& learner(ModelMaker& m, const std::string& op, const std::string& in, const std::string& out) {
  onnx::NodeProto& node = m.node(op, {in}, {out}, "n");
  node.set_domain("ai.onnx.ml");
  return node;
}

void words(onnx::NodeProto& node, const std::vector<std::string>& list) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name("string_vocabulary");
  a.set_type(onnx::AttributeProto::STRINGS);
  for (const std::string& word : list) a.add_strings(word);
}

void text(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::STRING);
  a.set_s(value);
}

void number(onnx::NodeProto& node, const std::string& name, int64_t value) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INT);
  a.set_i(value);
}

ModelMaker with_learners() {
  ModelMaker m;
  m.model.add_opset_import()->set_domain("ai.onnx.ml");
  m.model.mutable_opset_import(1)->set_version(3);
  return m;
}

ModelMaker vectorizer(int key = kText, int value = kFloat) {
  ModelMaker m = with_learners();
  add_map(m, "x", key, value);
  words(learner(m, "DictVectorizer", "x", "y"), {"a", "b", "c"});
  m.output("y");
  return m;
}

std::string inference_error(const ModelMaker& m) {
  return error_of([&] {
    Graph graph = m.import();
    ops::infer_types(graph);
  });
}

void says(const ModelMaker& m, const std::string& what) {
  const std::string error = inference_error(m);
  EXPECT_NE(error.find(what), std::string::npos) << error;
}

TEST(Maps, AreKeysAndValuesOfOneSize) {
  Graph g = vectorizer().import();
  ASSERT_EQ(g.inputs.size(), 2u);
  const Value &keys = g.value(g.inputs[0]), &values = g.value(g.inputs[1]);
  EXPECT_EQ(keys.name, "x.keys");
  EXPECT_EQ(values.name, "x.values");
  EXPECT_EQ(keys.type->dtype, kString);
  EXPECT_EQ(values.type->dtype, DType::f32);
  EXPECT_EQ(to_string(keys.type->shape), "[x.size]");
  EXPECT_EQ(keys.type->shape, values.type->shape);
  ops::infer_types(g);
  EXPECT_EQ(to_string(g.value(g.outputs[0]).type->shape), "[1, 3]");
}

TEST(Maps, SizesAreBoundLikeOthers) {
  const Graph g = vectorizer().import({"x.size=2"});
  EXPECT_EQ(to_string(g.value(g.inputs[1]).type->shape), "[2]");
}

TEST(Maps, AreShownAsInputs) {
  const TempFolder folder;
  const ModelSummary s = summarize_onnx(folder.write("m.onnx", vectorizer().bytes()));
  ASSERT_EQ(s.inputs.size(), 2u);
  EXPECT_EQ(s.inputs[0].name, "x.keys");
  EXPECT_EQ(s.inputs[0].dims, std::vector<std::string>{"x.size"});
  ModelMaker refused = vectorizer(onnx::TensorProto::INT32);
  EXPECT_EQ(summarize_onnx(folder.write("refused.onnx", refused.bytes())).inputs[0].type, "map");
}

TEST(Maps, OfOtherTypesAreRefused) {
  says(vectorizer(onnx::TensorProto::INT32),
       "input \"x\" is a map whose keys are int32; allowed are strings and int64");
  ModelMaker rows = with_learners();
  add_map(rows, "x").mutable_value_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(4);
  says(rows, "input \"x\" is a map whose values are not single numbers or strings");
  ModelMaker list = with_learners();
  onnx::ValueInfoProto& input = *list.graph.add_input();
  input.set_name("x");
  set_map(*input.mutable_type()->mutable_sequence_type()->mutable_elem_type());
  says(list, "input \"x\" is a sequence of maps, which is not supported");
  ModelMaker twice = with_learners();
  twice.input("x.keys", {"2"});
  add_map(twice, "x");
  says(twice, "value \"x.keys\" is defined twice");
}

TEST(Maps, OnlyGoToWhatTakesThem) {
  ModelMaker other = with_learners();
  add_map(other, "x");
  other.node("Relu", {"x"}, {"y"}, "relu").set_domain("");
  says(other, "node \"relu\" (Relu): \"x\" is a map, which only DictVectorizer and CastMap accept");
  ModelMaker output = with_learners();
  add_map(output, "x");
  output.output("x");
  says(output, "\"x\" is a map");
  set_map(*output.graph.mutable_output(0)->mutable_type());
  says(output, "output \"x\" is a map, which is allowed only as an input of the model");
  ModelMaker tensor = with_learners();
  tensor.input("x", {"3"});
  words(learner(tensor, "DictVectorizer", "x", "y"), {"a"});
  says(tensor, "node \"n\" (DictVectorizer): input \"x\" must be an input of the model that is a map");
}

TEST(Maps, InSequencesAreOutputsOnly) {
  ModelMaker m = with_learners();
  m.input("x", {"N", "2"});
  words(learner(m, "ZipMap", "x", "maps"), {"a", "b"});
  m.graph.mutable_node(0)->mutable_attribute(0)->set_name("classlabels_strings");
  m.node("Identity", {"maps"}, {"same"});
  m.output("same");
  const auto noted = [&] {
    ImportRecord record;
    ImportOptions options;
    options.record = &record;
    const std::string bytes = m.bytes();
    import_onnx_bytes(std::as_bytes(std::span(bytes)), "", options, "model");
    return record.metadata.back();
  };
  EXPECT_EQ(noted(), std::pair(std::string("type:same"), std::string("seq(map(string,tensor(float)))")));
  onnx::NodeProto& maker = *m.graph.mutable_node(0);
  maker.clear_attribute();
  onnx::AttributeProto& keys = *maker.add_attribute();
  keys.set_name("classlabels_int64s");
  keys.set_type(onnx::AttributeProto::INTS);
  keys.add_ints(1), keys.add_ints(2);
  EXPECT_EQ(noted(), std::pair(std::string("type:same"), std::string("seq(map(int64,tensor(float)))")));
  m.node("SequenceLength", {"same"}, {"n"}, "length");
  says(m, "node \"length\" (SequenceLength): input \"same\" is a sequence of maps, which is allowed only as an output");
}

TEST(Maps, MustFitTheirNode) {
  says(vectorizer(kInt), "the map's keys are int64, but the vocabulary is string_vocabulary");
  says(vectorizer(kText, onnx::TensorProto::INT32), "input 1 is int32; allowed are");
  ModelMaker none = with_learners();
  add_map(none, "x");
  learner(none, "DictVectorizer", "x", "y");
  says(none, "one of string_vocabulary and int64_vocabulary must list the keys");
  const auto cast = [](const std::string& attribute, const std::string& value, int key = kInt) {
    ModelMaker m = with_learners();
    add_map(m, "x", key);
    text(learner(m, "CastMap", "x", "y"), attribute, value);
    return m;
  };
  says(cast("cast_to", "TO_DOUBLE"), "cast_to 'TO_DOUBLE' is not TO_FLOAT, TO_INT64 or TO_STRING");
  says(cast("map_form", "LOOSE"), "map_form 'LOOSE' is not DENSE or SPARSE");
  says(cast("cast_to", "TO_FLOAT", kText), "input 0 is string; allowed are int64");
  ModelMaker empty = cast("map_form", "SPARSE");
  number(*empty.graph.mutable_node(0), "max_map", 0);
  says(empty, "max_map is 0; it must be positive");
}

TEST(Maps, OfTestDataAreCheckedAsTheyAreRead) {
  const TempFolder folder;
  onnx::MapProto map;
  map.set_key_type(kInt);
  const auto error = [&] {
    const std::string path = folder.write("input_0.pb", map.SerializeAsString());
    return error_of([&] { read_test_map(path, DType::f32); });
  };
  map.add_keys(7);
  EXPECT_NE(error().find("holds a map of 1 keys and 0 values"), std::string::npos);
  onnx::TensorProto& value = *map.mutable_values()->add_tensor_values();
  value.set_data_type(kFloat);
  value.add_dims(2);
  value.add_float_data(1), value.add_float_data(2);
  EXPECT_NE(error().find("holds a map whose values are not single numbers of one type"), std::string::npos);
  map.set_key_type(kFloat);
  EXPECT_NE(error().find("holds a map whose keys are float32; allowed are strings and int64"), std::string::npos);
}

}  // namespace
}  // namespace cppgen
