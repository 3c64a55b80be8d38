#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;
class Verify : public CliTest {};

std::string tensor_bytes(const std::vector<int64_t>& dims, const std::vector<float>& values) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t dim : dims) tensor.add_dims(dim);
  for (float value : values) tensor.add_float_data(value);
  return tensor.SerializeAsString();
}

TEST_F(Verify, TestDataAgree) {
  const std::string test = onnx_test("test_abs");
  for (const char* way : {"--reference", "--threads=1"}) {
    const Ended ended = run({"verify", test + "/model.onnx", test, way});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find("  ok   y: max abs error 0, max|expected| "), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("1 of 1 data sets agree"), std::string::npos) << ended.out;
  }
  EXPECT_EQ(run({"verify", test + "/model.onnx", test + "/test_data_set_0", "--reference"}).status, 0);
}

TEST_F(Verify, JsonSaysHowEachStepRan) {
  const std::string test = onnx_test("test_abs");
  const Ended ended = run({"verify", test + "/model.onnx", test, "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["ok"], true);
  EXPECT_EQ(report["data_sets"][0]["outputs"][0]["name"], "y");
  EXPECT_EQ(report["data_sets"][0]["outputs"][0]["compared"], 60);
  EXPECT_EQ(report["step_counts"], json({{"compiled", 1}, {"library", 0}, {"host", 0}, {"interpreted", 0}}));
  EXPECT_EQ(report["steps"][0]["kind"], "compiled");
  EXPECT_EQ(report["steps"][0]["engine"], "loops");
}

TEST_F(Verify, DifferencesFailTheCheckUnlessTheyAreAllowed) {
  const std::string model = symbolic_model();
  folder.write("data/input_0.pb", tensor_bytes({1, 3}, {1, -2, 100}));
  folder.write("data/output_0.pb", tensor_bytes({1, 3}, {1, 0.5, 100.05f}));
  const std::vector<std::string> command{"verify", model, path("data"), "--reference"};
  const Ended ended = run(command);
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find("FAIL y: max abs error 0.5, max|expected| 100.1, 3 elements: 1 of 3 elements differ; the "
                           "worst, at flat index 1, is 0 instead of 0.5, where the tolerance is 0.0005001"),
            std::string::npos)
      << ended.out;
  auto loose = command;
  loose.insert(loose.end(), {"--atol", "0.5"});
  EXPECT_EQ(run(loose).status, 0);
  auto strict = loose;
  strict.insert(strict.end(), {"--rtol", "1e-6", "--atol", "0"});
  EXPECT_EQ(run(strict).status, 2) << "--atol twice";
  EXPECT_EQ(run({"verify", model, path("data"), "--rtol", "-1"}).status, 2);
  EXPECT_EQ(run({"verify", model, path("data"), "--rtol", "nan"}).status, 2);
}

TEST_F(Verify, ShapesTypesAndCountsAreChecked) {
  const std::string model = symbolic_model();
  folder.write("shape/input_0.pb", tensor_bytes({1, 3}, {1, 2, 3}));
  folder.write("shape/output_0.pb", tensor_bytes({3}, {1, 2, 3}));
  Ended ended = run({"verify", model, path("shape"), "--reference"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find("FAIL y: has shape [1, 3], expected [3]"), std::string::npos) << ended.out;

  folder.write("count/input_0.pb", tensor_bytes({1, 3}, {1, 2, 3}));
  folder.write("count/output_0.pb", tensor_bytes({1, 3}, {1, 2, 3}));
  folder.write("count/output_1.pb", tensor_bytes({1, 3}, {1, 2, 3}));
  ended = run({"verify", model, path("count"), "--reference"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find("the model has 1 outputs, expected 2"), std::string::npos) << ended.out;
}

TEST_F(Verify, NotANumberEqualsItself) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  folder.write("data/input_0.pb", tensor_bytes({1, 3}, {nan, infinity, 1}));
  folder.write("data/output_0.pb", tensor_bytes({1, 3}, {nan, infinity, 1}));
  EXPECT_EQ(run({"verify", symbolic_model(), path("data"), "--reference"}).status, 0);
  folder.write("data/output_0.pb", tensor_bytes({1, 3}, {nan, nan, 1}));
  EXPECT_EQ(run({"verify", symbolic_model(), path("data"), "--reference"}).status, 1);
}

TEST_F(Verify, NoDataIsTheUsersError) {
  std::filesystem::create_directories(path("empty"));
  Ended ended = run({"verify", symbolic_model(), path("empty")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "cppgen: no test data in '" + path("empty") +
                           "': expected folders test_data_set_*, files input_0.pb and output_0.pb, or io.json\n");
  EXPECT_EQ(run({"verify", symbolic_model(), path("nowhere")}).status, 2);

  folder.write("lone/input_0.pb", tensor_bytes({1, 3}, {1, 2, 3}));
  ended = run({"verify", symbolic_model(), path("lone"), "--reference"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("output_0.pb is missing"), std::string::npos) << ended.err;
}

TEST_F(Verify, WhatIsNoTensorIsReportedAsUnsupported) {
  const std::string model = symbolic_model(), sequence = onnx_test("test_identity_sequence/test_data_set_0"),
                    optional = onnx_test("test_optional_get_element_sequence/test_data_set_0"),
                    strings = onnx_test("test_cast_STRING_to_FLOAT/test_data_set_0");
  const auto error = [&](const std::string& data) {
    const Ended ended = run({"verify", model, data, "--reference"});
    EXPECT_EQ(ended.status, 2) << data;
    return ended.err;
  };
  EXPECT_EQ(error(sequence),
            "cppgen: '" + sequence + "/input_0.pb': holds a sequence or an optional; the model has a tensor here\n");
  EXPECT_EQ(error(optional),
            "cppgen: '" + optional + "/input_0.pb': holds a sequence or an optional; the model has a tensor here\n");
  EXPECT_EQ(error(strings),
            "cppgen: '" + strings + "/input_0.pb' holds strings; the model has a numeric tensor here\n");
  folder.write("junk/input_0.pb", "\xff\xff\xff");
  folder.write("junk/output_0.pb", "");
  EXPECT_NE(error(path("junk")).find("is not a serialised TensorProto"), std::string::npos);
}

TEST_F(Verify, Bfloat16StoredAsUint16) {
  for (const char* name : {"test_cast_BFLOAT16_to_FLOAT", "test_cast_FLOAT_to_BFLOAT16"}) {
    const std::string test = onnx_test(name);
    const Ended ended = run({"verify", test + "/model.onnx", test, "--reference"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  }
}

TEST_F(Verify, DataSetsAreTakenInTheOrderOfTheirNumbers) {
  for (const char* number : {"0", "2", "10"}) {
    folder.write(std::string("data/test_data_set_") + number + "/input_0.pb", tensor_bytes({1, 3}, {1, 2, 3}));
    folder.write(std::string("data/test_data_set_") + number + "/output_0.pb", tensor_bytes({1, 3}, {1, 2, 3}));
  }
  const json report = json::parse(run({"verify", symbolic_model(), path("data"), "--reference", "--json"}).out);
  ASSERT_EQ(report["data_sets"].size(), 3u);
  EXPECT_EQ(report["data_sets"][1]["path"], path("data/test_data_set_2"));
  EXPECT_EQ(report["data_sets"][2]["path"], path("data/test_data_set_10"));
}

}  // namespace
}  // namespace cppgen
