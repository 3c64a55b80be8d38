// Values that are no tensors of known size: what `run` takes, prints and writes.
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/values/npy.h"
#include "runtime/values/npy_strings.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

class RunValues : public CliTest {
 protected:
  // found: positions of what is not zero; pair: a sequence of x and -x; words: text; some: an empty optional.
  std::string model() const {
    ModelMaker m(18);
    m.input("x", {"N"}).input("text", {"M"}, onnx::TensorProto::STRING);
    for (const char* name : {"found", "pair", "words", "some"}) m.output(name);
    m.node("NonZero", {"x"}, {"found"});
    m.node("Neg", {"x"}, {"minus"});
    m.node("SequenceConstruct", {"x", "minus"}, {"pair"});
    m.node("Identity", {"text"}, {"words"});
    auto& type = *m.node("Optional", {}, {"some"}).add_attribute();
    type.set_name("type");
    type.set_type(onnx::AttributeProto::TYPE_PROTO);
    type.mutable_tp()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    return write("kinds.onnx", m);
  }
  // y = all elements of a sequence, joined.
  std::string sequence_model() const {
    ModelMaker m(18);
    auto& s = *m.graph.add_input();
    s.set_name("s");
    s.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(
        onnx::TensorProto::FLOAT);
    m.output("y").output("n");
    auto& axis = *m.node("ConcatFromSequence", {"s"}, {"y"}).add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    m.node("SequenceLength", {"s"}, {"n"});
    return write("sequence.onnx", m);
  }
  // y = the values of the words "a", "b" and "c" in the map x.
  std::string map_model() const {
    ModelMaker m;
    onnx::ValueInfoProto& input = *m.graph.add_input();
    input.set_name("x");
    auto& map = *input.mutable_type()->mutable_map_type();
    map.set_key_type(onnx::TensorProto::STRING);
    map.mutable_value_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    onnx::NodeProto& node = m.output("y").node("DictVectorizer", {"x"}, {"y"}, "v");
    node.set_domain("ai.onnx.ml");
    auto& opset = *m.model.add_opset_import();
    opset.set_domain("ai.onnx.ml");
    opset.set_version(1);
    auto& words = *node.add_attribute();
    words.set_name("string_vocabulary");
    words.set_type(onnx::AttributeProto::STRINGS);
    for (const char* word : {"a", "b", "c"}) words.add_strings(word);
    return write("map.onnx", m);
  }
  std::string strings(const std::string& name, const std::vector<std::string>& values) const {
    rt::write_npy_strings(path(name), {{int64_t(values.size())}, values});
    return path(name);
  }
  std::string floats(const std::string& name, const std::vector<float>& values) const {
    rt::Tensor tensor(DType::f32, {int64_t(values.size())});
    std::copy(values.begin(), values.end(), tensor.as<float>());
    rt::write_npy(path(name), tensor.view());
    return path(name);
  }
};

TEST_F(RunValues, AreDescribedAndWritten) {
  rt::write_npy_strings(path("text.npy"), {{2}, {"\xc3\xa4 b", ""}});
  const Ended ended = run({"run", model(), "--input", "x=" + floats("x.npy", {0, 5, 7}), "--input",
                           "text=" + path("text.npy"), "--json", "--output", path("out")});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json outputs = json::parse(ended.out)["outputs"];
  EXPECT_EQ(outputs[0]["shape"], json({1, 2}));
  EXPECT_EQ(outputs[0]["file"], "out_0.npy");
  EXPECT_EQ(outputs[1]["kind"], "sequence");
  EXPECT_EQ(outputs[1]["elements"][1]["file"], "out_1_1.npy");
  EXPECT_EQ(outputs[2]["dtype"], "string");
  EXPECT_EQ(outputs[3]["kind"], "empty");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path("out"))) names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"in_0.npy", "in_1.npy", "io.json", "out_0.npy", "out_1_0.npy", "out_1_1.npy",
                                          "out_2.npy"}));
  EXPECT_EQ(rt::read_npy(path("out/out_1_1.npy")).as<float>()[2], -7);
  const rt::StringTensor words = rt::read_npy_strings(path("out/out_2.npy"));
  EXPECT_EQ(words.elements, (std::vector<std::string>{"\xc3\xa4 b", ""}));
  // What was written is a data set.
  EXPECT_EQ(run({"verify", model(), path("out")}).status, 0);
  EXPECT_EQ(run({"verify", model(), path("out"), "--reference"}).status, 0);
  rt::write_npy_strings(path("out/out_2.npy"), {{2}, {"other", ""}});
  EXPECT_EQ(run({"verify", model(), path("out")}).status, 1);
}

TEST_F(RunValues, StringsMayBeRandom) {
  const Ended text = run({"run", model(), "--reference", "--dim", "N=2", "--dim", "M=3"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("words  string [3]  \"word"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("pair  sequence of 2\n  pair[0]  float32 [2]"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("some  empty optional\n"), std::string::npos) << text.out;
  EXPECT_NE(run({"run", model(), "--reference", "--dim", "N=2"}).err.find("the dimension 'M' (input 'text' axis 0)"),
            std::string::npos);
}

TEST_F(RunValues, SequencesAreGivenElementByElement) {
  const std::string sequence = sequence_model();
  const Ended missing = run({"run", sequence, "--reference"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err,
            "cppgen: the input 's' is a sequence: give --input s=FILE.npy for each element, in order, or --input s= "
            "for an empty sequence\n");
  const Ended given = run(
      {"run", sequence, "--input", "s=" + floats("a.npy", {1, 2}), "--input", "s=" + floats("b.npy", {3}), "--json"});
  ASSERT_EQ(given.status, 0) << given.err;
  EXPECT_EQ(json::parse(given.out)["outputs"][0]["shape"], json({3}));
  EXPECT_EQ(json::parse(given.out)["inputs"][0]["length"], 2);
  EXPECT_NE(run({"run", sequence, "--input", "s="}).err.find("the sequence is empty"), std::string::npos);
  rt::write_npy_strings(path("text.npy"), {{1}, {"a"}});
  EXPECT_EQ(run({"run", model(), "--input", "x=" + path("text.npy"), "--dim", "M=1"}).status, 2);
}

TEST_F(RunValues, MapsAreGivenAsKeysAndValues) {
  const std::string model = map_model();
  const auto with = [&](const std::vector<std::string>& keys, const std::vector<float>& values) {
    return run({"run", model, "--input", "x.keys=" + strings("k.npy", keys), "--input",
                "x.values=" + floats("v.npy", values), "--output", path("out")});
  };
  ASSERT_EQ(with({"c", "other", "a"}, {3, 5, 7}).status, 0);
  const rt::Tensor y = rt::read_npy(path("out/out_0.npy"));
  EXPECT_EQ(std::vector<float>(y.as<float>(), y.as<float>() + 3), (std::vector<float>{7, 0, 3}));
  EXPECT_EQ(run({"verify", model, path("out")}).status, 0);
  EXPECT_EQ(with({"c", "a", "c"}, {1, 2, 3}).err,
            "cppgen: node 'v' (DictVectorizer): its map has a duplicate key 'c'\n");
  EXPECT_EQ(with({"c", "a"}, {1}).err,
            "cppgen: input 'x.values' axis 0 is 1, but x.size is 2 from input 'x.keys' axis 0\n");
}

TEST_F(RunValues, RandomMapsHaveTheKeysOfTheModel) {
  const std::string model = map_model();
  for (const char* way : {"--json", "--reference"}) {
    ASSERT_EQ(run({"run", model, "--output", path("out"), way}).status, 0);
    EXPECT_EQ(rt::read_npy_strings(path("out/in_0.npy")).elements, (std::vector<std::string>{"a", "b", "c"}));
  }
  ASSERT_EQ(run({"run", model, "--dim", "x.size=2", "--output", path("out")}).status, 0);
  EXPECT_EQ(rt::read_npy_strings(path("out/in_0.npy")).elements, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(run({"run", model, "--dim", "x.size=4"}).err,
            "cppgen: input 'x.keys': a random map has at most the 3 keys that the model knows; 4 are requested\n");
}

}  // namespace
}  // namespace cppgen
