// Settings of packages, and of what is written with them.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cppgen/compile/compile_pool.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"
#include "runtime/package/package.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ProcessResult ended_of(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::optional<std::string>>>& environment = {}) {
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = command, spec.working_directory = "/", spec.environment = environment;
  return runner.run(spec);
}

TEST_F(SettingEffect, AOT_OUTPUT_PATH) {
  const std::string model = relu(), folder = path("chosen/model.package");
  const auto written = [&] {
    fs::remove_all(path("chosen"));
    const Ended ended = run({"compile", model});
    EXPECT_EQ(ended.status, fs::exists(folder) ? 0 : 2) << ended.err;
    EXPECT_TRUE(contains(ended.err + ended.out, fs::exists(folder) ? folder : "AOT_OUTPUT_PATH"));
    return fs::exists(folder + "/manifest.json");
  };
  expect_effect<bool>(folder, written, false, true);
  environment["CPPGEN_AOT_OUTPUT_PATH"] = folder;
  succeed({"compile", model, "-o", path("other.package")});
  EXPECT_TRUE(fs::exists(path("other.package"))) << "--output prevails";
}

// All libraries but those of glibc are in the package, wherever it is; the program verifies the sample and times runs.
void expect_self_contained(const std::string& package) {
  const std::string program = package + "/standalone";
  const ProcessResult listed = ended_of({program}, {{"LD_TRACE_LOADED_OBJECTS", "1"}});
  std::istringstream lines(listed.output);
  int inside = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool own = contains(line, " => " + package + "/standalone_data/lib/");
    const bool of_system = contains(line, "linux-vdso.so") || contains(line, "ld-linux") ||
                           contains(line, "libc.so.") || contains(line, "libm.so.") || contains(line, "libdl.so.") ||
                           contains(line, "librt.so.") || contains(line, "libpthread.so.") ||
                           contains(line, "libmvec.so.") || contains(line, "libresolv.so.");
    EXPECT_TRUE(own || of_system) << line;
    inside += own;
  }
  EXPECT_GE(inside, 3) << listed.output;
  const ProcessResult ran = ended_of({program, "--runs", "3"}, {{"LD_LIBRARY_PATH", std::nullopt}});
  EXPECT_TRUE(ran.ok()) << ran.output;
  EXPECT_TRUE(contains(ran.output, "\nok   y: ") && contains(ran.output, "\n3 runs: ")) << ran.output;
}

TEST_F(SettingEffect, ENABLE_STANDALONE) {
  const std::string model = symbolic_model(), moved = path("moved.package");
  const auto runs = [&] {
    fs::remove_all(moved);
    fs::rename(package(model), moved);
    if (!fs::exists(moved + "/standalone")) return false;
    expect_self_contained(moved);
    EXPECT_TRUE(rt::read_manifest(moved).find("standalone")) << "it is sealed with the package";
    return true;
  };
  expect_effect<bool>("1", runs, false, true);
  environment["CPPGEN_ENABLE_STANDALONE"] = "1";
  ASSERT_TRUE(runs());
  std::string expected = read_file(moved + "/standalone_data/sample/out_0.npy");
  expected.back() ^= 0x40;  // the greatest bits of a float's exponent
  ASSERT_EQ(write_file(moved + "/standalone_data/sample/out_0.npy", expected), 0);
  const ProcessResult differs = ended_of({moved + "/standalone"});
  EXPECT_EQ(differs.code, 1) << differs.output;
  EXPECT_EQ(ended_of({moved + "/standalone", "--dim", "N=5"}).code, 0)
      << "other inputs are not compared with the sample";
  EXPECT_EQ(ended_of({moved + "/standalone", "--no-such-option"}).code, 2);
  succeed({"run", model, "--dim", "N=3"});
}

// The kernels of a package, one after the other.
std::string objects(const std::string& package) {
  std::string bytes;
  for (int i = 0; fs::exists(fmt::format("{}/kernels_{}.so", package, i)); i++)
    bytes += read_file(fmt::format("{}/kernels_{}.so", package, i));
  return bytes;
}

// relu(x * w) of constant weights: kernels are linked with tiles for it.
void add_product(ModelMaker& maker, const std::string& x, int64_t k) {
  auto& weights = maker.initializer("weights", {k, 48}, onnx::TensorProto::FLOAT);
  for (int64_t i = 0; i < k * 48; i++) weights.add_float_data(float(i % 5) - 2);
  maker.node("MatMul", {x, "weights"}, {"sums"});
  maker.node("Relu", {"sums"}, {"product"});
  maker.output("product");
}

TEST_F(SettingEffect, USE_CMAKE_COMPILATION) {
  ModelMaker maker;
  maker.input("x", {"20", "64"});
  add_product(maker, "x", 64);
  const std::string model = folder.write("product.onnx", maker.bytes());
  const auto rebuilt = [&] {
    const std::string made = package(model), sources = made + "/sources", build = path("build");
    if (!fs::exists(sources)) return false;
    const std::string before = objects(made);
    for (const auto& file : fs::directory_iterator(made))
      if (file.path().extension() == ".so") fs::remove(file);
    fs::remove_all(build);
    const ProcessResult configured =
        ended_of({CPPGEN_CMAKE, "-S", sources, "-B", build},
                 {{"CXX", std::nullopt}, {"CXXFLAGS", std::nullopt}, {"LDFLAGS", std::nullopt}});
    EXPECT_TRUE(configured.ok()) << configured.output;
    const ProcessResult built = ended_of({CPPGEN_CMAKE, "--build", build, "--target", "install"});
    EXPECT_TRUE(built.ok()) << built.output;
    EXPECT_NE(run({"run", made}).status, 0) << "the objects have no seals yet";
    succeed({"seal", made});
    EXPECT_TRUE(objects(made) == before) << "the same compiler and options give the same objects";
    EXPECT_EQ(verified(made), 0);
    return true;
  };
  succeed({"run", model, "--reference", "--output", path("reference")});
  expect_effect<bool>("1", rebuilt, false, true);
  const std::string plan = path("model.package/plan.json");
  environment["CPPGEN_USE_CMAKE_COMPILATION"] = "1";
  package(model);
  ASSERT_EQ(write_file(plan, read_file(plan) + " "), 0);
  const Ended altered = run({"seal", path("model.package")});
  EXPECT_EQ(altered.status, 2);
  EXPECT_TRUE(contains(altered.err, "'plan.json' has")) << altered.err << " only objects may have changed";
}

// A model with an embedding, products on tiles of the runtime and of the kernel, and a function in double.
std::string model_of_kernels(const TempFolder& folder) {
  ModelMaker maker;
  maker.input("ids", {"64"}, onnx::TensorProto::INT64)
      .input("w", {"256", "512"})
      .input("d", {"N", "100"}, onnx::TensorProto::DOUBLE);
  auto& table = maker.initializer("table", {50, 256}, onnx::TensorProto::FLOAT);
  for (int i = 0; i < 50 * 256; i++) table.add_float_data(float(i % 7));
  maker.node("Gather", {"table", "ids"}, {"rows"});
  maker.node("MatMul", {"rows", "w"}, {"y"});
  maker.node("Erf", {"d"}, {"e"});
  maker.output("rows").output("y").output("e");
  add_product(maker, "rows", 256);
  return folder.write("kernels.onnx", maker.bytes());
}

TEST_F(SettingEffect, BENCHMARK_KERNEL) {
  const std::string model = model_of_kernels(folder), kernels = path("trace/kernels/kernels");
  environment["CPPGEN_TRACE_DIR"] = path("trace");
  // The number of kernels without a program that works; -1: there are no programs.
  const auto without = [&] {
    fs::remove_all(path("trace"));
    const json report = json::parse(succeed({"run", model, "--dim", "N=3", "--json"}).out);
    if (!fs::exists(kernels)) return -1;
    int missing = report["step_counts"]["compiled"], with_runtime = 0;
    EXPECT_GE(missing, 3);
    for (const auto& kernel : fs::directory_iterator(kernels)) {
      const std::string own = kernel.path();
      if (!fs::exists(own + "/build.sh")) continue;
      with_runtime += contains(read_file(own + "/build.sh"), "CPPGEN_RUNTIME_LIBRARY");
      const ProcessResult built = ended_of({"/bin/sh", own + "/build.sh"});
      EXPECT_TRUE(built.ok()) << built.output;
      const ProcessResult ran = ended_of({own + "/benchmark", "3"});
      EXPECT_TRUE(ran.ok()) << ran.output;
      EXPECT_TRUE(contains(ran.output, kernel.path().filename().string() + ": ")) << ran.output;
      EXPECT_TRUE(contains(ran.output, " 3 runs, median ")) << ran.output;
      missing--;
    }
    EXPECT_GE(with_runtime, 1) << "the product calls tiles of the runtime";
    return missing;
  };
  expect_effect<int>("1", without, -1, 0);
}

}  // namespace
}  // namespace cppgen
