#include <nlohmann/json.hpp>

#include "runtime/contraction/amx_support.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

class Package : public CliTest {
 protected:
  std::string compiled() const {
    const Ended ended = run({"compile", symbolic_model(), "-o", path("model.package"), "--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(json::parse(ended.out)["package"], path("model.package"));
    return path("model.package");
  }
};

TEST_F(Package, RunsWithAnySizeAndWithoutACompiler) {
  const std::string package = compiled();
  environment["CPPGEN_CXX"] = "/nowhere/g++";
  for (const char* dim : {"N=1", "N=17"}) {
    const Ended ended = run({"run", package, "--dim", dim, "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(json::parse(ended.out)["outputs"][0]["shape"][0], std::stoi(dim + 2));
  }
}

TEST_F(Package, DimensionsAreCheckedAgainstTheInputs) {
  const std::string package = compiled();
  ASSERT_EQ(run({"run", package, "--dim", "N=2", "--output", path("data")}).status, 0);
  const std::string input = "x=" + path("data/in_0.npy");
  EXPECT_EQ(run({"run", package, "--input", input, "--dim", "N=2"}).status, 0);
  const Ended other = run({"run", package, "--input", input, "--dim", "N=3"});
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.err, "cppgen: input 'x' axis 0 is 2, but --dim says N=3\n");
  EXPECT_EQ(run({"verify", package, path("data"), "--dim", "N=3"}).status, 2);
  EXPECT_EQ(run({"verify", package, path("data")}).status, 0);
  EXPECT_EQ(run({"run", package, "--dim", "M=3"}).err,
            "cppgen: --dim M=3: the package has no dimension 'M'; it has N\n");
  EXPECT_EQ(run({"run", package, "--dim", "x.1=M"}).status, 2);
}

TEST_F(Package, WhatNeedsTheCompilerIsRefused) {
  const std::string package = compiled();
  const std::string refused =
      "cppgen: --reference needs the .onnx file, but '" + package + "' is a package, which holds compiled code only\n";
  EXPECT_EQ(run({"run", package, "--reference", "--dim", "N=1"}).err, refused);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"run", package, "--isa", "scalar", "--dim", "N=1"},
                                             {"run", package, "--set", "MAX_FUSION_SIZE=1", "--dim", "N=1"},
                                             {"compile", package, "-o", path("again")},
                                             {"explain", package},
                                             {"bench", package, "--against", "onednn", "--dim", "N=1"}})
    EXPECT_EQ(run(command).status, 2) << command[0];
  EXPECT_EQ(run({"run", package, "--threads", "1", "--dim", "N=1"}).status, 0);
  environment["CPPGEN_FORCE_NATIVE_RUNTIME"] = "1";
  EXPECT_EQ(run({"run", package, "--dim", "N=1"}).status, 2);
  EXPECT_EQ(run({"compile", symbolic_model(), "-o", path("another")}).status, 2);
}

TEST_F(Package, IsInspected) {
  const std::string package = compiled();
  const json report = json::parse(run({"inspect", package, "--json"}).out);
  EXPECT_EQ(report["kind"], "package");
  EXPECT_EQ(report["inputs"][0], json({{"name", "x"}, {"dtype", "float32"}, {"dims", {"N", "3"}}}));
  EXPECT_EQ(report["steps"][0]["kind"], "compiled");
  const Ended text = run({"inspect", package});
  EXPECT_NE(text.out.find("  x  float32 [N, 3]\n"), std::string::npos) << text.out;
}

TEST_F(Package, ShowsParametersThatCanBeReplaced) {
  ModelMaker maker;
  maker.input("x", {"2", "3"}).output("y");
  maker.initializer("w", {3, 40}, onnx::TensorProto::FLOAT).set_raw_data(std::string(3 * 40 * 4, '\x3e'));
  maker.node("MatMul", {"x", "w"}, {"y"});
  const std::string model = write("product.onnx", maker), package = path("product.package");
  ASSERT_EQ(run({"compile", model, "-o", package, "--set", "FREEZING=0"}).status, 0);
  EXPECT_NE(run({"inspect", package}).out.find("parameters that can be replaced\n  w  float32 [3, 40]\n"),
            std::string::npos);
  EXPECT_EQ(json::parse(run({"inspect", package, "--json"}).out)["parameters"],
            json::array({{{"name", "w"}, {"dtype", "float32"}, {"dims", {"3", "40"}}}}));
}

// A package for a CPU with AMX can be made anywhere; this machine refuses to run it unless it has AMX.
TEST_F(Package, IsMadeForOtherMachines) {
  const std::string package = path("amx.package");
  const Ended compiled = run({"compile", symbolic_model(), "-o", package, "--isa", "amx", "--set", "VEC_ISA_OK=1"});
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_EQ(json::parse(run({"inspect", package, "--json"}).out)["isa"], "amx");
  const bool has_amx = rt::amx_support().usable;
  EXPECT_EQ(run({"run", package, "--dim", "N=1"}).status, has_amx ? 0 : 2);
  EXPECT_EQ(run({"compile", symbolic_model(), "-o", package, "--isa", "amx"}).status, has_amx ? 0 : 2);
}

TEST_F(Package, ADirectoryThatIsNoneIsRefused) {
  const Ended ended = run({"run", path("tmp")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find(path("tmp")), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace cppgen
