// These tests run a copy of the program that has no plugins beside it, like a build without oneDNN.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace cppgen {
namespace {

class WithoutOnednn : public CliTest {
 protected:
  WithoutOnednn() {
    std::filesystem::create_directories(path("bin"));
    std::filesystem::copy_file(CPPGEN_PROGRAM, path("bin/cppgen"));
    ModelMaker maker;
    maker.input("x", {"M", "64"}).output("y").node("MatMul", {"x", "w"}, {"y"});
    auto& w = maker.initializer("w", {64, 64}, onnx::TensorProto::FLOAT);
    for (int i = 0; i < 64 * 64; i++) w.add_float_data(float(i % 7));
    model = write("product.onnx", maker);
  }

  // Runs the copy.
  Ended without(const std::vector<std::string>& arguments) {
    program = path("bin/cppgen");
    const Ended ended = run(arguments);
    program = CPPGEN_PROGRAM;
    return ended;
  }

  void expect_advice(const Ended& ended, const std::string& text) const {
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_NE(ended.err.find(text), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("oneDNN is in the package libcppgen-onednn for apt"), std::string::npos) << ended.err;
  }

  std::string model;
};

TEST_F(WithoutOnednn, ComparisonsSayHowToGetItBeforeTheyCompile) {
  expect_advice(without({"bench", model, "--dim", "M=8", "--against", "onednn"}),
                "comparisons with oneDNN need the plugin libcppgen_bench_onednn-");
  expect_advice(without({"profile", model, "--dim", "M=8", "--against", "onednn"}), "comparisons with oneDNN need");
  EXPECT_FALSE(std::filesystem::exists(path("cache/cppgen/models")));
}

TEST_F(WithoutOnednn, ModelsAreCompiledForOtherEngines) {
  const std::vector<std::string> explain{
      "explain", model, "--all", "--dim", "M=64", "--set", "MAX_AUTOTUNE_GEMM_BACKENDS=ONEDNN"};
  const Ended with = run(explain), other = without(explain);
  EXPECT_NE(with.out.find("1 onednn"), std::string::npos) << with.out;
  EXPECT_NE(other.out.find("1 loops"), std::string::npos) << other.out;
  ASSERT_EQ(run({"run", model, "--reference", "--dim", "M=8", "--output", path("expected")}).status, 0);
  const Ended same = without({"verify", model, path("expected"), "--set", "MAX_AUTOTUNE_GEMM_BACKENDS=ONEDNN"});
  EXPECT_EQ(same.status, 0) << same.out << same.err;
}

TEST_F(WithoutOnednn, PackagesThatNeedItAreRefused) {
  const std::vector<std::string> compile{"compile", model,          "--set", "MAX_AUTOTUNE_GEMM_BACKENDS=ONEDNN",
                                         "-o",      path("package")};
  ASSERT_EQ(run(compile).status, 0);
  EXPECT_EQ(run({"run", path("package"), "--dim", "M=8"}).status, 0);
  expect_advice(without({"run", path("package"), "--dim", "M=8"}),
                "contractions by oneDNN need the plugin libcppgen_onednn-");
}

}  // namespace
}  // namespace cppgen
