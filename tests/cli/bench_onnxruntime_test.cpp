#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

class BenchOnnxRuntime : public CliTest {
 protected:
  // `bench` of a Relu of 64 rows against this library.
  Ended bench(const std::string& library, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command{"bench", symbolic_model(), "--dim",       "N=64",          "--runs",
                                     "10",    "--against",      "onnxruntime", "--onnxruntime", library};
    command.insert(command.end(), more.begin(), more.end());
    return run(command);
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST_F(BenchOnnxRuntime, TakesTurnsAndCompares) {
  const Ended ended = bench(CPPGEN_FAKE_ONNXRUNTIME, {"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json against = json::parse(ended.out)["against"];
  EXPECT_EQ(against["engine"], "onnxruntime");
  EXPECT_EQ(against["version"], "0.9-fake");
  EXPECT_EQ(against["runs"], 10);
  EXPECT_EQ(against["outputs_agree"], true);
  EXPECT_GT(against["ratio"].get<double>(), 0);
  EXPECT_TRUE(contains(ended.err, "fake ONNX Runtime: 0 objects left\n")) << ended.err;
}

TEST_F(BenchOnnxRuntime, BothLibraries) {
  const Ended ended = bench(CPPGEN_FAKE_ONNXRUNTIME, {"--against", "onednn", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json against = json::parse(ended.out)["against"];
  ASSERT_EQ(against.size(), 2u);
  EXPECT_EQ(against[0]["engine"], "onnxruntime");
  EXPECT_EQ(against[1]["engine"], "onednn");
  const Ended list = run({"bench", symbolic_model(), "--dim", "N=64", "--runs", "10", "--against", "onednn,onnxruntime",
                          "--onnxruntime", CPPGEN_FAKE_ONNXRUNTIME});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_TRUE(contains(list.out, "oneDNN primitives")) << list.out;
  EXPECT_TRUE(contains(list.out, "ONNX Runtime 0.9-fake")) << list.out;
}

TEST_F(BenchOnnxRuntime, OtherResultsFailTheCheck) {
  environment["FAKE_ONNXRUNTIME"] = "wrong";
  const Ended ended = bench(CPPGEN_FAKE_ONNXRUNTIME, {"--json"});
  EXPECT_EQ(ended.status, 1) << ended.err;
  const json against = json::parse(ended.out)["against"];
  EXPECT_EQ(against["outputs_agree"], false);
  EXPECT_NEAR(against["max_abs_difference"].get<double>(), 1, 1e-5);
}

TEST_F(BenchOnnxRuntime, WhatTheLibraryRefusesIsTheUsersError) {
  environment["FAKE_ONNXRUNTIME"] = "refuse";
  const Ended refused = bench(CPPGEN_FAKE_ONNXRUNTIME);
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "ONNX Runtime 0.9-fake: loading the model: the model is too good")) << refused.err;
  EXPECT_TRUE(contains(refused.err, " 0 objects left")) << refused.err;
  environment["FAKE_ONNXRUNTIME"] = "old";
  const Ended old = bench(CPPGEN_FAKE_ONNXRUNTIME);
  EXPECT_EQ(old.status, 2);
  EXPECT_TRUE(contains(old.err, "is ONNX Runtime 0.9-fake, which is too old")) << old.err;
}

TEST_F(BenchOnnxRuntime, WithoutTheLibraryTheErrorSaysHowToGetIt) {
  const std::string none = path("libnone.so");
  const Ended missing = bench(none);
  EXPECT_EQ(missing.status, 2);
  EXPECT_TRUE(contains(missing.err, none) && contains(missing.err, "--onnxruntime")) << missing.err;
  const Ended other = bench("libm.so.6");
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "is not ONNX Runtime")) << other.err;
  environment["LD_LIBRARY_PATH"] = "";
  const Ended usual = run({"bench", symbolic_model(), "--dim", "N=2", "--runs", "1", "--against", "onnxruntime"});
  if (usual.status != 0) {  // not installed here
    EXPECT_EQ(usual.status, 2);
    EXPECT_TRUE(contains(usual.err, "libonnxruntime.so") && contains(usual.err, "--onnxruntime")) << usual.err;
  }
  EXPECT_EQ(run({"bench", symbolic_model(), "--dim", "N=2", "--onnxruntime", none}).status, 2) << "without --against";
}

// The library in the folder that the benchmarks use, or where LD_LIBRARY_PATH finds it.
TEST_F(BenchOnnxRuntime, TheLibraryItself) {
  std::string library;
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::path(CPPGEN_BENCH_ONNXRUNTIME) / "node_modules/onnxruntime-node";
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder, error))
    if (contains(file.path(), "/linux/x64/libonnxruntime.so")) library = file.path();
  if (library.empty()) GTEST_SKIP() << "CPPGEN_BENCH_ONNXRUNTIME does not have ONNX Runtime";
  const Ended ended = bench(library, {"--json", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json against = json::parse(ended.out)["against"];
  EXPECT_EQ(against["outputs_agree"], true);
  EXPECT_EQ(against["max_abs_difference"], 0) << "of Relu";
  const Ended bad =
      run({"bench", gather_model(), "--runs", "10", "--against", "onnxruntime", "--onnxruntime", library});
  EXPECT_EQ(bad.status, 0) << bad.err;
}

}  // namespace
}  // namespace cppgen
