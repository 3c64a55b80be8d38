// The C API gives what only a run decides: sizes, strings, sequences.
#include "runtime/session/cppgen.hpp"
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

// found = positions of what is not zero in x; pair = [x, -x]; words = text, reversed.
ModelMaker many_kinds() {
  ModelMaker m(18);
  m.input("x", {"N"}).input("text", {"N"}, onnx::TensorProto::STRING).output("found").output("pair").output("words");
  m.node("NonZero", {"x"}, {"found"});
  m.node("Neg", {"x"}, {"minus"});
  m.node("SequenceConstruct", {"x", "minus"}, {"pair"});
  for (const char* name : {"from", "to", "axes", "steps"})
    m.initializer(name, {1}, onnx::TensorProto::INT64)
        .add_int64_data(name[0] == 'a'   ? 0
                        : name[0] == 't' ? std::numeric_limits<int64_t>::min()
                                         : -1);
  m.node("Slice", {"text", "from", "to", "axes", "steps"}, {"words"});
  return m;
}

class CApiResults : public testing::Test {
 protected:
  void SetUp() override {
    CompileRequest request;
    request.model = folder_.write("m.onnx", many_kinds().bytes());
    request.output = (folder_.path / "package").string();
    compile_model(request);
    ASSERT_EQ(cppgen_session_load(request.output.c_str(), nullptr, &session_, &error_), CPPGEN_OK) << error_.message;
  }
  void TearDown() override { cppgen_session_free(session_); }

  cppgen_status run(cppgen_results** results) {
    const cppgen_tensor inputs[] = {{CPPGEN_FLOAT32, 1, &size_, x_}, {CPPGEN_STRING, 1, &size_, words_}};
    return cppgen_session_run_results(session_, inputs, 2, results, &error_);
  }
  cppgen_tensor tensor(const cppgen_results* results, size_t output, size_t element) {
    cppgen_tensor found{};
    EXPECT_EQ(cppgen_results_tensor(results, output, element, &found, &error_), CPPGEN_OK) << error_.message;
    return found;
  }

  TempFolder folder_;
  cppgen_session* session_ = nullptr;
  cppgen_error error_;
  int64_t size_ = 3;
  float x_[3] = {0, 5, 7};
  const char* words_[3] = {"first", "", "last"};
};

TEST_F(CApiResults, AreDescribedBeforeTheRun) {
  cppgen_kind kind;
  EXPECT_EQ(cppgen_session_output_kind(session_, 1, &kind, &error_), CPPGEN_OK);
  EXPECT_EQ(kind, CPPGEN_SEQUENCE);
  EXPECT_EQ(cppgen_session_input_kind(session_, 1, &kind, &error_), CPPGEN_OK);
  EXPECT_EQ(kind, CPPGEN_TENSOR);
  EXPECT_EQ(cppgen_session_output_kind(session_, 3, &kind, &error_), CPPGEN_USER_ERROR);
  cppgen_tensor_info info;
  EXPECT_EQ(cppgen_session_input(session_, 1, &info, &error_), CPPGEN_OK);
  EXPECT_EQ(info.dtype, CPPGEN_STRING);
  ASSERT_EQ(info.rank, 1u);
  EXPECT_EQ(info.dims[0], -1);
}

TEST_F(CApiResults, HaveTheirSizesAfterTheRun) {
  cppgen_results* results = nullptr;
  ASSERT_EQ(run(&results), CPPGEN_OK) << error_.message;
  const cppgen_tensor found = tensor(results, 0, 0);
  EXPECT_EQ(found.dtype, CPPGEN_INT64);
  EXPECT_EQ(std::vector<int64_t>(found.dims, found.dims + found.rank), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(static_cast<const int64_t*>(found.data)[1], 2);
  cppgen_kind kind;
  size_t count;
  ASSERT_EQ(cppgen_results_kind(results, 1, &kind, &count, &error_), CPPGEN_OK);
  EXPECT_EQ(kind, CPPGEN_SEQUENCE);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(static_cast<const float*>(tensor(results, 1, 1).data)[2], -7);
  const cppgen_tensor words = tensor(results, 2, 0);
  EXPECT_EQ(words.dtype, CPPGEN_STRING);
  EXPECT_STREQ(static_cast<const char* const*>(words.data)[0], "last");
  EXPECT_STREQ(static_cast<const char* const*>(words.data)[1], "");
  cppgen_tensor none;
  EXPECT_EQ(cppgen_results_tensor(results, 1, 2, &none, &error_), CPPGEN_USER_ERROR);
  EXPECT_EQ(cppgen_results_tensor(results, 3, 0, &none, &error_), CPPGEN_USER_ERROR);
  cppgen_results_free(results);
  cppgen_results_free(nullptr);
}

TEST_F(CApiResults, WrongInputsAreRefused) {
  cppgen_results* results = nullptr;
  words_[1] = nullptr;
  EXPECT_EQ(run(&results), CPPGEN_USER_ERROR);
  EXPECT_EQ(results, nullptr);
  EXPECT_NE(std::string(error_.message).find("string 1 of tensor 1 is null"), std::string::npos);
  const cppgen_tensor input{CPPGEN_FLOAT32, 1, &size_, nullptr};
  EXPECT_EQ(cppgen_session_run_results(session_, &input, 1, &results, &error_), CPPGEN_USER_ERROR);
  EXPECT_EQ(cppgen_session_run_results(session_, nullptr, 1, &results, &error_), CPPGEN_USER_ERROR);
  const cppgen_tensor strings{CPPGEN_STRING, 1, &size_, words_};
  EXPECT_EQ(cppgen_session_run(session_, &strings, 1, nullptr, 0, &error_), CPPGEN_USER_ERROR);
}

// y = all elements of the sequence s, joined; n = their number.
ModelMaker sequence_model() {
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
  return m;
}

// y = the values of the words "a", "b" and "c" in the map x.
ModelMaker map_model() {
  ModelMaker m;
  auto& input = *m.graph.add_input();
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
  return m;
}

class CApiInputs : public testing::Test {
 protected:
  cppgen::Session session_of(const ModelMaker& maker) {
    CompileRequest request;
    request.model = folder_.write("m.onnx", maker.bytes());
    request.output = (folder_.path / "package").string();
    compile_model(request);
    return cppgen::Session(request.output);
  }
  static cppgen::Value floats(std::vector<float> values) {
    return cppgen::Value(tensor_of(values));
  }
  static cppgen::Tensor tensor_of(std::vector<float>& values) {
    return cppgen::Tensor({int64_t(values.size())}, values.data());
  }
  TempFolder folder_;
};

TEST_F(CApiInputs, MayBeSequences) {
  cppgen::Session session = session_of(sequence_model());
  EXPECT_EQ(session.inputs()[0].kind, CPPGEN_SEQUENCE);
  std::vector<cppgen::Value> elements, inputs;
  elements.push_back(floats({1, 2})), elements.push_back(floats({3}));
  inputs.push_back(cppgen::Value::sequence(elements));
  for (int run = 0; run < 2; run++) {
    const cppgen::Results results = session.run(inputs);
    ASSERT_EQ(results.tensor(0).elements(), 3);
    EXPECT_EQ(results.tensor(0).as<float>()[2], 3.0f);
    EXPECT_EQ(results.tensor(1).as<int64_t>()[0], 2);
  }
}

TEST_F(CApiInputs, MayBeMaps) {
  cppgen::Session session = session_of(map_model());
  ASSERT_EQ(session.inputs().size(), 2u);
  ASSERT_EQ(session.input("x.values"), 1u);
  std::vector<cppgen::Value> inputs;
  inputs.emplace_back(std::vector<std::string>{"c", "a"}), inputs.push_back(floats({5, 7}));
  const cppgen::Results results = session.run(inputs);
  ASSERT_EQ(results.tensor(0).elements(), 3);
  const float* y = results.tensor(0).as<float>();
  EXPECT_EQ((std::vector<float>{y[0], y[1], y[2]}), (std::vector<float>{7, 0, 5}));
}

TEST_F(CApiInputs, MetadataIsThatOfTheFile) {
  ModelMaker maker = sequence_model();
  maker.model.set_producer_name("a \"producer\"");
  auto& property = *maker.model.add_metadata_props();
  property.set_key("labels"), property.set_value("{\n}");
  const auto metadata = session_of(maker).metadata();
  const auto has = [&](const char* key, const char* value) {
    return std::count(metadata.begin(), metadata.end(), std::pair<std::string, std::string>(key, value)) == 1;
  };
  EXPECT_TRUE(has("producer_name", "a \"producer\""));
  EXPECT_TRUE(has("metadata:labels", "{\n}"));
  EXPECT_TRUE(has("opset:ai.onnx", "18"));
}

}  // namespace
}  // namespace cppgen::modules
