// Packages that hold several versions of a model.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "isa/vec_isa.h"
#include "runtime/session/cppgen.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const std::vector<std::string> kSizes{"--sizes", "batch=1", "--sizes", "batch=8", "--sizes", "batch=64"};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Versions : public CliTest {
 protected:
  // y = Softmax(Relu(x w)), x: [batch, 64].
  std::string model() const {
    ModelMaker maker;
    maker.input("x", {"batch", "64"}).output("y");
    auto& w = maker.initializer("w", {64, 48}, onnx::TensorProto::FLOAT);
    for (int i = 0; i < 64 * 48; i++) w.add_float_data(float((i * 7919) % 100 - 50) / 100);
    maker.node("MatMul", {"x", "w"}, {"p"}, "product");
    maker.node("Relu", {"p"}, {"r"}, "relu");
    maker.node("Softmax", {"r"}, {"y"}, "softmax");
    return write("model.onnx", maker);
  }

  // y = Relu(x), and where it is not zero, which only a run knows.
  std::string module() const {
    ModelMaker maker;
    maker.input("x", {"batch", "3"}).output("y").output("where");
    maker.node("Relu", {"x"}, {"y"}, "relu");
    maker.node("NonZero", {"y"}, {"where"}, "where");
    maker.graph.mutable_output(1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
    return write("module.onnx", maker);
  }

  std::string package(const std::string& model, const std::vector<std::string>& more = kSizes) const {
    fs::remove_all(path("model.package"));
    const Ended ended = run(joined({"compile", model, "-o", path("model.package")}, more));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return path("model.package");
  }

  // Compares a run of the package with the interpreter, and returns the version that ran.
  std::string verified(const std::string& model, const std::string& package, int batch) const {
    const std::string data = path("data" + std::to_string(batch));
    EXPECT_EQ(run({"run", model, "--reference", "--dim", "batch=" + std::to_string(batch), "--output", data}).status,
              0);
    const Ended ended = run({"verify", package, data, "--json"});
    EXPECT_EQ(ended.status, 0) << ended.err << ended.out;
    return json::parse(ended.out)["data_sets"][0]["version"];
  }

  std::string error_of(const std::vector<std::string>& arguments) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 2) << ended.out;
    return ended.err;
  }
};

TEST_F(Versions, RunWhatTheReferenceComputes) {
  for (const std::string& model : {model(), module()}) {
    const std::string made = package(model), moved = path("moved");
    fs::remove_all(moved);
    fs::rename(made, moved);
    for (const int batch : {1, 8, 64})
      EXPECT_EQ(verified(model, moved, batch), "batch=" + std::to_string(batch)) << model;
    EXPECT_EQ(verified(model, moved, 5), "general") << model;
  }
}

TEST_F(Versions, AreCompiledForTheirSizes) {
  const json report = json::parse(run({"inspect", package(model()), "--json"}).out);
  ASSERT_EQ(report["versions"].size(), 3u);
  EXPECT_EQ(report["versions"][1]["sizes"], json({{"batch", 8}}));
  EXPECT_EQ(report["inputs"][0]["dims"], json({"batch", "64"}));
  const json version = json::parse(run({"inspect", path("model.package/versions/2"), "--json"}).out);
  EXPECT_EQ(version["inputs"][0]["dims"], json({"8", "64"}));
  EXPECT_NE(run({"inspect", path("model.package")}).out.find("version     batch=8 for "), std::string::npos);
}

// With --dim and --sizes of the same dimension, the size is that of the run.
TEST_F(Versions, ReportsSayWhichRan) {
  environment["CPPGEN_ENABLE_KERNEL_PROFILE"] = "1";
  const std::string file = model();
  const auto report = [&](const std::string& command, const std::string& batch, std::vector<std::string> more = {}) {
    const Ended ended = run(joined(joined({command, file, "--dim", "batch=" + batch, "--json"}, kSizes), more));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(ended.out);
  };
  const json eight = report("run", "8");
  EXPECT_EQ(eight["version"], "batch=8");
  EXPECT_EQ(eight["steps"][0]["calls"], 1) << "its steps are those of the version";
  EXPECT_EQ(eight["outputs"][0]["shape"], json({8, 48}));
  const json five = report("run", "5");
  EXPECT_EQ(five["version"], "general");
  EXPECT_EQ(five["from_cache"], true);
  EXPECT_EQ(report("bench", "8", {"--runs", "3"})["version"], "batch=8");
  EXPECT_EQ(report("profile", "64", {"--runs", "3"})["version"], "batch=64");
  const json without = json::parse(run({"run", file, "--dim", "batch=8", "--json"}).out);
  EXPECT_FALSE(without.contains("version"));
  EXPECT_EQ(without["from_cache"], false) << "another model of the cache";
}

TEST_F(Versions, StoreWeightsOnce) {
  const auto file_of = [&](const std::string& folder) {
    struct stat file {};
    EXPECT_EQ(stat((path("model.package") + folder + "/weights.bin").c_str(), &file), 0);
    return std::pair(file.st_ino, file.st_size);
  };
  package(model(), {});
  const int64_t alone = file_of("").second;
  package(model(), {"--sizes", "batch=16", "--sizes", "batch=64"});
  EXPECT_EQ(file_of("/versions/1"), file_of(""));
  EXPECT_EQ(file_of("/versions/2"), file_of(""));
  EXPECT_EQ(file_of("").second, alone) << "all read the same panels";
  package(model(), {"--sizes", "batch=1"});
  EXPECT_EQ(file_of("/versions/1"), file_of("")) << "whatever it reads";
}

TEST_F(Versions, TheCInterfaceChoosesToo) {
  const std::string made = package(model());
  cppgen_options options;
  cppgen_error error;
  ASSERT_EQ(cppgen_options_init(&options, &error), CPPGEN_OK) << error.message;
  options.profile = 1;
  cppgen_session* session = nullptr;
  ASSERT_EQ(cppgen_session_load(made.c_str(), &options, &session, &error), CPPGEN_OK) << error.message;
  std::vector<float> x(8 * 64, 1.0f), y(8 * 48);
  const int64_t x_dims[] = {8, 64};
  int64_t y_dims[2] = {};
  const cppgen_tensor in{CPPGEN_FLOAT32, 2, x_dims, x.data()};
  EXPECT_EQ(cppgen_session_output_dims(session, &in, 1, 0, y_dims, 2, &error), CPPGEN_OK) << error.message;
  EXPECT_EQ(y_dims[0], 8);
  const cppgen_tensor out{CPPGEN_FLOAT32, 2, y_dims, y.data()};
  EXPECT_EQ(cppgen_session_run(session, &in, 1, &out, 1, &error), CPPGEN_OK) << error.message;
  char table[4096];
  EXPECT_EQ(cppgen_session_profile(session, table, sizeof table, nullptr, &error), CPPGEN_OK);
  EXPECT_TRUE(std::string(table).starts_with("version batch=8\n")) << table;
  cppgen_session_free(session);
}

TEST_F(Versions, OptionsThatMakeNoSenseAreRefused) {
  const std::string file = model(), out = path("model.package");
  const auto refused = [&](const std::vector<std::string>& sizes) {
    return error_of(joined({"compile", file, "-o", out}, sizes));
  };
  EXPECT_EQ(refused({"--sizes", "batch=8", "--sizes", "batch=8"}), "cppgen: --sizes gives the same sizes twice\n");
  EXPECT_EQ(refused({"--sizes", "batch=8,batch=9"}), "cppgen: --sizes batch=8,batch=9: gives 'batch' twice\n");
  EXPECT_EQ(refused({"--sizes", "x.0=batch"}),
            "cppgen: --sizes x.0=batch: expected NAME=N, as in --sizes batch=8,length=128\n");
  EXPECT_EQ(refused({"--sizes", "length=8"}),
            "cppgen: --sizes length=8: runs of the model choose no dimension 'length'; they choose batch\n");
  EXPECT_EQ(refused({"--sizes", "batch=8", "--dim", "batch=8"}),
            "cppgen: --sizes batch=8: runs of the model choose no dimension 'batch'; they choose none\n");
  EXPECT_EQ(error_of({"tune", file, "--sizes", "batch=8", "--dim", "batch=4"}),
            "cppgen: --dim and --sizes both give the size of 'batch'\n");
  EXPECT_EQ(error_of({"tune", file, "--sizes", "batch=8", "--sizes", "batch=8"}),
            "cppgen: --sizes gives the same sizes twice\n");
  EXPECT_EQ(error_of({"tune", file, "--dim", "batch=8", "--set", "FORCE_DISABLE_CACHES=1"}),
            "cppgen: tune keeps its results in the cache: remove FORCE_DISABLE_CACHES and KERNEL_CACHE=0\n");
  const std::string made = package(file);
  EXPECT_EQ(error_of({"run", made, "--sizes", "batch=2"}),
            "cppgen: --sizes needs the .onnx file, but '" + made + "' is a package, which holds compiled code only\n");
}

TEST_F(Versions, OfSeveralInstructionSetsHaveTheSameSizes) {
  const Ended probe = run({"isa", "--isa", "avx2"});
  if (probe.status != 0) GTEST_SKIP() << "no avx2";
  const std::string made = package(model(), {"--sizes", "batch=8", "--isa", "scalar,avx2"});
  EXPECT_EQ(verified(model(), made, 8), "batch=8");
  const json report = json::parse(run({"run", made, "--dim", "batch=5", "--json"}).out);
  EXPECT_EQ(report["isa"], "avx2");
  EXPECT_EQ(report["version"], "general");
}

// A list is for several machines: instruction sets that this one lacks are compiled, and not taken here.
TEST_F(Versions, OfInstructionSetsOfOtherMachines) {
  environment["CPPGEN_USE_AMX"] = "auto";
  const std::string made = package(model(), {"--isa", "scalar,avx512,amx"});
  const json report = json::parse(run({"inspect", made, "--json"}).out);
  ASSERT_EQ(report["versions"].size(), 2u);
  const json version = json::parse(run({"inspect", made + "/versions/2", "--json"}).out);
  EXPECT_EQ(version["isa"], "amx");
  const std::string data = path("data");
  ASSERT_EQ(run({"run", model(), "--reference", "--dim", "batch=8", "--output", data}).status, 0);
  EXPECT_EQ(run({"verify", made, data}).status, 0);
  EXPECT_EQ(run({"verify", made, data, "--isa", "scalar"}).status, 0);
  if (detect_cpu_features().has_all(find_isa("avx512")->required)) return;
  EXPECT_EQ(json::parse(run({"run", made, "--dim", "batch=8", "--json"}).out)["isa"], "scalar");
  EXPECT_NE(error_of({"compile", model(), "-o", path("alone"), "--isa", "avx512"}).find("VEC_ISA_OK=1"),
            std::string::npos)
      << "a single one may be meant for this machine";
}

// Weights of 48 columns are three slices of 16 for AVX2 and for AVX-512, whatever their tiles are, and each version
// computes the same with them.
TEST_F(Versions, OfSeveralInstructionSetsShareWeights) {
  const auto alone = fs::file_size(package(model(), {"--isa", "avx2"}) + "/weights.bin");
  const std::string made = package(model(), {"--isa", "avx2,avx512"}), data = path("data");
  EXPECT_EQ(fs::file_size(made + "/weights.bin"), alone);
  EXPECT_TRUE(fs::equivalent(made + "/weights.bin", made + "/versions/1/weights.bin"));
  ASSERT_EQ(run({"run", model(), "--reference", "--dim", "batch=40", "--output", data}).status, 0);
  for (const char* isa : {"avx2", "avx512"}) {
    if (!detect_cpu_features().has_all(find_isa(isa)->required)) continue;
    const Ended ended = run({"verify", made, data, "--isa", isa});
    EXPECT_EQ(ended.status, 0) << ended.err << ended.out;
    EXPECT_NE(ended.out.find(std::string(isa) + ", "), std::string::npos) << ended.out;
  }
}

// Each version is tuned for its sizes; a compilation of that version uses what was found.
TEST_F(Versions, AreTuned) {
  environment["CPPGEN_CI_FLAG"] = "1";
  const Ended ended = run({"tune", model(), "--sizes", "batch=1", "--sizes", "batch=8", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_EQ(report["versions"].size(), 2u);
  EXPECT_EQ(report["versions"][0]["version"], "batch=1");
  EXPECT_EQ(report["versions"][1]["version"], "batch=8");
}

}  // namespace
}  // namespace cppgen
