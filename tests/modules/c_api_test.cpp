// The C API gives what only a run decides: sizes, strings, sequences.
#include "runtime/session/cppgen.h"
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

// y = x, or x as a matrix of one row: how many dimensions y has, only a run knows.
ModelMaker choice_of_ranks() {
  ModelMaker m(18);
  m.input("c", {}, onnx::TensorProto::BOOL).input("x", {"N"}).output("y");
  m.initializer("rows", {2}, onnx::TensorProto::INT64).add_int64_data(1);
  m.graph.mutable_initializer(0)->add_int64_data(-1);
  auto& choice = m.node("If", {"c"}, {"z"}, "choice");
  const auto add_branch = [&](const char* name, const char* op, const std::vector<std::string>& inputs) {
    auto& attribute = *choice.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    ModelMaker::add_node(*attribute.mutable_g(), op, inputs, {name}, name);
    attribute.mutable_g()->add_output()->set_name(name);
  };
  add_branch("then_branch", "Identity", {"x"});
  add_branch("else_branch", "Reshape", {"x", "rows"});
  m.node("Relu", {"z"}, {"y"});
  return m;
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
  void load(const ModelMaker& maker) {
    CompileRequest request;
    request.model = folder_.write("m.onnx", maker.bytes());
    request.output = (folder_.path / "package").string();
    compile_model(request);
    ASSERT_EQ(cppgen_session_load(request.output.c_str(), nullptr, &session_, &error_), CPPGEN_OK) << error_.message;
  }
  void TearDown() override {
    cppgen_results_free(results_);
    for (cppgen_value* value : made_) cppgen_value_free(value);
    cppgen_session_free(session_);
  }

  const cppgen_value* value_of(cppgen_dtype type, int64_t count, const void* data) {
    const cppgen_tensor tensor{type, 1, &count, const_cast<void*>(data)};
    EXPECT_EQ(cppgen_value_tensor(&tensor, &made_.emplace_back(), &error_), CPPGEN_OK) << error_.message;
    return made_.back();
  }
  void run(const std::vector<const cppgen_value*>& inputs) {
    cppgen_results_free(results_);
    ASSERT_EQ(cppgen_session_run_values(session_, inputs.data(), inputs.size(), nullptr, &results_, &error_), CPPGEN_OK)
        << error_.message;
  }
  template <class T>
  std::vector<T> output(size_t index) {
    cppgen_tensor found{};
    EXPECT_EQ(cppgen_results_tensor(results_, index, 0, &found, &error_), CPPGEN_OK) << error_.message;
    const auto* data = static_cast<const T*>(found.data);
    return {data, data + (found.rank == 0 ? 1 : found.dims[found.rank - 1])};
  }

  TempFolder folder_;
  cppgen_session* session_ = nullptr;
  cppgen_results* results_ = nullptr;
  std::vector<cppgen_value*> made_;
  cppgen_error error_;
};

TEST_F(CApiInputs, MayBeSequences) {
  load(sequence_model());
  cppgen_kind kind;
  ASSERT_EQ(cppgen_session_input_kind(session_, 0, &kind, &error_), CPPGEN_OK);
  EXPECT_EQ(kind, CPPGEN_SEQUENCE);
  const float first[] = {1, 2}, second[] = {3};
  const cppgen_value* elements[] = {value_of(CPPGEN_FLOAT32, 2, first), value_of(CPPGEN_FLOAT32, 1, second)};
  cppgen_value* sequence = nullptr;
  ASSERT_EQ(cppgen_value_sequence(elements, 2, &sequence, &error_), CPPGEN_OK);
  made_.push_back(sequence);
  for (int i = 0; i < 2; i++) {
    run({sequence});
    EXPECT_EQ(output<float>(0), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(output<int64_t>(1), std::vector<int64_t>{2});
  }
}

TEST_F(CApiInputs, MayBeMaps) {
  load(map_model());
  size_t keys = 9, values = 9;
  ASSERT_EQ(cppgen_session_input_index(session_, "x.keys", &keys, &error_), CPPGEN_OK) << error_.message;
  ASSERT_EQ(cppgen_session_input_index(session_, "x.values", &values, &error_), CPPGEN_OK) << error_.message;
  const char* const words[] = {"c", "a"};
  const float numbers[] = {5, 7};
  std::vector<const cppgen_value*> inputs(2);
  inputs.at(keys) = value_of(CPPGEN_STRING, 2, words), inputs.at(values) = value_of(CPPGEN_FLOAT32, 2, numbers);
  run(inputs);
  EXPECT_EQ(output<float>(0), (std::vector<float>{7, 0, 5}));
}

TEST_F(CApiInputs, MetadataIsThatOfTheFile) {
  ModelMaker maker = sequence_model();
  maker.model.set_producer_name("a \"producer\"");
  auto& property = *maker.model.add_metadata_props();
  property.set_key("labels"), property.set_value("{\n}");
  load(maker);
  std::map<std::string, std::string> metadata;
  for (size_t i = 0; i < cppgen_session_metadata_count(session_); i++) {
    const char *key = nullptr, *value = nullptr;
    ASSERT_EQ(cppgen_session_metadata(session_, i, &key, &value, &error_), CPPGEN_OK);
    metadata[key] = value;
  }
  EXPECT_EQ(metadata["producer_name"], "a \"producer\"");
  EXPECT_EQ(metadata["metadata:labels"], "{\n}");
  EXPECT_EQ(metadata["opset:ai.onnx"], "18");
}

TEST_F(CApiInputs, RanksThatOnlyARunKnowsAreToldByItsResults) {
  load(choice_of_ranks());
  cppgen_tensor_info info;
  ASSERT_EQ(cppgen_session_output(session_, 0, &info, &error_), CPPGEN_OK) << error_.message;
  EXPECT_EQ(info.rank, 0u);
  EXPECT_EQ(info.dims, nullptr);
  ASSERT_EQ(cppgen_session_input(session_, 0, &info, &error_), CPPGEN_OK) << error_.message;
  EXPECT_NE(info.dims, nullptr) << "of a scalar";
  bool condition = false;
  int64_t count = 3, found_dims[2];
  float x[3] = {1, -2, 3}, y[3] = {};
  const cppgen_tensor inputs[] = {{CPPGEN_BOOL, 0, nullptr, &condition}, {CPPGEN_FLOAT32, 1, &count, x}};
  EXPECT_EQ(cppgen_session_output_dims(session_, inputs, 2, 0, found_dims, 2, &error_), CPPGEN_USER_ERROR);
  EXPECT_NE(std::string(error_.message).find("number of dimensions of output 'y' depends"), std::string::npos);
  const cppgen_tensor scalar{CPPGEN_FLOAT32, 0, nullptr, y}, matrix{CPPGEN_FLOAT32, 2, found_dims, y};
  EXPECT_EQ(cppgen_session_run(session_, inputs, 2, &scalar, 1, &error_), CPPGEN_USER_ERROR);
  EXPECT_NE(std::string(error_.message).find("the result has shape [1, 3]"), std::string::npos) << error_.message;
  found_dims[0] = 1, found_dims[1] = 3;
  EXPECT_EQ(cppgen_session_run(session_, inputs, 2, &matrix, 1, &error_), CPPGEN_OK) << error_.message;
  EXPECT_EQ(y[2], 3);
}

}  // namespace
}  // namespace cppgen::modules
