#include "runtime/package/versions.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <numeric>
#include <thread>

#include "isa/cpu_features.h"
#include "isa/vec_isa.h"
#include "runtime/base/content_hash.h"
#include "runtime/base/errors.h"
#include "runtime/package/executable.h"
#include "runtime/package/machine_support.h"
#include "runtime/package/reseal.h"
#include "runtime/session/session.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

namespace fs = std::filesystem;

// The plan of two steps for one size.
Plan fixed_plan(int64_t n) {
  Plan plan = two_step_plan();
  const auto fix = [&](DimExpr& dim) {
    for (size_t i = 0; i < dim.code.size(); i++) {
      const auto op = DimOp(dim.code[i]);
      if (op == DimOp::symbol) dim.code[i] = int64_t(DimOp::constant), dim.code[i + 1] = n;
      if (op == DimOp::symbol || op == DimOp::constant) i++;
    }
  };
  plan.symbols.clear();
  for (auto* tensors : {&plan.inputs, &plan.outputs})
    for (DimExpr& dim : tensors->at(0).dims) fix(dim);
  for (PlanBuffer& buffer : plan.buffers) fix(buffer.bytes);
  for (Step& step : plan.steps)
    for (DimExpr* dim : {&step.range, &step.flops, &step.bytes}) fix(*dim);
  return plan;
}

// Kernels that multiply by another factor than 2, which shows what ran.
std::string source_with(int factor) {
  std::string source = kTwoStepSource;
  const size_t at = source.find("* 2;");
  return source.replace(at, 4, "* " + std::to_string(factor) + ";");
}

// A package whose general version multiplies by 2, and whose versions for N=1 and N=8 by 3 and 4.
class Versions : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    original_ = new TempDirectory;
    const std::string package = original_->file("p");
    write_package(package, two_step_plan(), kTwoStepSource, kTwoStepWeights);
    write_package(package + "/versions/1", fixed_plan(1), source_with(3), kTwoStepWeights);
    write_package(package + "/versions/2", fixed_plan(8), source_with(4), {4, 3, 2, 1});
    write_versions(package, {{"1", "scalar", {{"N", 1}}, ""}, {"2", "scalar", {{"N", 8}}, ""}});
    write_manifest(package, "scalar");
  }
  static void TearDownTestSuite() { delete original_; }

  Versions() { fs::copy(original_->file("p"), directory(), fs::copy_options::recursive); }

  std::string directory() const { return scratch_.file("package"); }

  // (0 + w) * factor for the first element of a row of zeros.
  static float first_result(Session& session, int64_t n) {
    Tensor x(DType::f32, {n, 4});
    std::fill_n(x.as<float>(), x.elements(), 0.0f);
    return session.run(std::vector{x.view()})[0].as<float>()[0];
  }

  void set_rows(const std::string& json) const {
    write_text(directory() + "/versions.json", json);
    reseal();
  }
  // Writes the manifest again, as somebody would who knows how packages are made.
  void reseal() const { write_manifest(directory(), "scalar"); }

  std::string load_error(const LoadOptions& options = {}) const {
    try {
      Executable::load(directory(), options);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  void expect_error(const std::string& part, const LoadOptions& options = {}) const {
    const std::string error = load_error(options);
    EXPECT_NE(error.find(part), error.npos) << "expected: " << part << "\nfound: " << error;
  }

  static TempDirectory* original_;
  TempDirectory scratch_;
};
TempDirectory* Versions::original_ = nullptr;

TEST_F(Versions, RunsTakeTheVersionForTheirSizes) {
  Session session(Executable::load(directory()));
  EXPECT_EQ(first_result(session, 1), 1 * 3);
  EXPECT_EQ(first_result(session, 8), 4 * 4);
  EXPECT_EQ(first_result(session, 5), 1 * 2);
  EXPECT_EQ(first_result(session, 1), 1 * 3);
  EXPECT_EQ(session.executable().version(), "general");
  const std::vector<int64_t> dims{8, 4};
  const Session& version = session.version_for(std::vector<TensorView>{{DType::f32, dims, nullptr}});
  EXPECT_EQ(version.executable().version(), "N=8");
  EXPECT_EQ(session.output_dims(std::vector<TensorView>{{DType::f32, dims, nullptr}})[0], dims);
}

TEST_F(Versions, RunInTheCallersMemory) {
  Session session(Executable::load(directory()));
  Tensor x(DType::f32, {8, 4}), y(DType::f32, {8, 4});
  std::iota(x.as<float>(), x.as<float>() + 32, 0.0f);
  session.run(std::vector{x.view()}, std::vector{y.output()});
  for (int i = 0; i < 32; i++) EXPECT_EQ(y.as<float>()[i], (float(i) + float(4 - i % 4)) * 4) << i;
  std::vector<Value> inputs;
  inputs.emplace_back(copy_of(x.view()));
  EXPECT_EQ(session.run_values(std::move(inputs))[0].tensor()->as<float>()[31], y.as<float>()[31]);
}

TEST_F(Versions, ManyThreadsRunDifferentSizes) {
  SessionOptions options;
  options.threads = 2;
  Session session(Executable::load(directory()), options);
  const std::map<int64_t, float> expected{{1, 3.0f}, {8, 16.0f}, {5, 2.0f}, {9, 2.0f}};
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; t++)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; i++) {
        const auto& [n, result] = *std::next(expected.begin(), (t + i) % 4);
        wrong += first_result(session, n) != result;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Versions, TheOneThatFixesMostIsTaken) {
  Plan plan = two_step_plan();
  plan.inputs.push_back({"z", DType::f32, {sym(1)}, 0});
  plan.symbols.push_back({"M", 1, 0});
  PlanBuffer z{PlanBufferKind::input, 1, 0, sym(1) * num(4), 0, 0, -1};
  const auto with_z = [&](Plan fixed, std::vector<DimExpr> dims, std::vector<Symbol> symbols) {
    fixed.inputs.push_back({"z", DType::f32, std::move(dims), 0});
    fixed.symbols = std::move(symbols);
    return fixed;
  };
  const std::string package = scratch_.file("two");
  write_package(package, plan, kTwoStepSource, kTwoStepWeights);
  write_package(package + "/versions/a", with_z(fixed_plan(8), {sym(0)}, {{"M", 1, 0}}), source_with(3),
                kTwoStepWeights);
  write_package(package + "/versions/b", with_z(fixed_plan(8), {num(2)}, {}), source_with(4), kTwoStepWeights);
  write_versions(package, {{"a", "scalar", {{"N", 8}}, ""}, {"b", "scalar", {{"N", 8}, {"M", 2}}, ""}});
  write_manifest(package, "scalar");
  Session session(Executable::load(package));
  const auto result = [&](int64_t n, int64_t m) {
    Tensor x(DType::f32, {n, 4}), other(DType::f32, {m});
    std::fill_n(x.as<float>(), n * 4, 0.0f);
    return session.run(std::vector{x.view(), other.view()})[0].as<float>()[0];
  };
  EXPECT_EQ(result(8, 2), 4);
  EXPECT_EQ(result(8, 3), 3);
  EXPECT_EQ(result(7, 2), 2);
}

TEST_F(Versions, EqualWeightsAreMappedOnce) {
  const auto executable = Executable::load(directory());
  ASSERT_EQ(executable->versions().size(), 2u);
  EXPECT_EQ(executable->versions()[0].executable->weights(), executable->weights());
  EXPECT_NE(executable->versions()[1].executable->weights(), executable->weights());
  EXPECT_EQ(executable->weights_bytes(), 32) << "two files of 16 bytes";
}

TEST_F(Versions, AreLoadedWhereverThePackageIs) {
  fs::rename(directory(), scratch_.file("elsewhere"));
  Session session(Executable::load(scratch_.file("elsewhere")));
  EXPECT_EQ(first_result(session, 8), 16);
}

TEST_F(Versions, AlteredFilesAreRefused) {
  const std::string version = directory() + "/versions/2";
  const std::string weights = read_text(version + "/weights.bin"), table = read_text(directory() + "/versions.json");
  write_text(version + "/weights.bin", std::string(16, '\0'));
  expect_error("'weights.bin' was altered");
  write_text(version + "/weights.bin", weights);
  EXPECT_EQ(load_error(), "");
  write_text(directory() + "/versions.json", table + " ");
  expect_error("'versions.json' has");
  reseal();
  EXPECT_EQ(load_error(), "");
  fs::remove_all(version);
  fs::copy(directory() + "/versions/1", version);
  expect_error("the version N=8 in 'versions/2' was altered, or belongs to another package");
  fs::remove_all(version);
  expect_error("versions/2' is not a package: no such directory");
}

TEST_F(Versions, ATableThatIsNotWrittenWithTheObjectsIsRefused) {
  const std::string object = directory() + "/kernels_0.so", before = read_text(object);
  set_rows("{\"versions\": []}");
  EXPECT_EQ(load_error(), "");
  std::string manifest = read_text(directory() + "/manifest.json");
  manifest.replace(manifest.find(content_hash(read_text(object))), kContentHashDigits, content_hash(before));
  write_text(directory() + "/manifest.json", manifest);
  write_text(object, before);
  expect_error("'kernels_0.so' was not written together with the other files that the manifest lists");
}

TEST_F(Versions, DamagedTablesAreRefused) {
  const auto row = [](const std::string& folder, const std::string& isa, const std::string& sizes) {
    return R"({"folder": ")" + folder + R"(", "isa": ")" + isa + R"(", "manifest_xxh3": "", "sizes": )" + sizes + "}";
  };
  const auto refused = [&](const std::string& rows, const std::string& why) {
    set_rows("{\"versions\": [" + rows + "]}");
    expect_error("'versions.json' is damaged: " + why);
  };
  set_rows("[");
  expect_error("'versions.json' is damaged");
  set_rows("{\"versions\": 7}");
  expect_error("'versions.json' is damaged: the field 'versions' is not a list");
  refused("7", "");
  refused(row("../p", "scalar", "{\"N\": 1}"), "'../p' is not the name of a folder");
  refused(row("1", "scalar", "{\"N\": -1}"), "the size of 'N' is not an integer of at least 0");
  refused(row("1", "scalar", "{\"N\": 9223372036854775808}"), "the size of 'N' is not an integer of at least 0");
  refused(row("1", "scalar", "{\"N\": 1.5}"), "the size of 'N' is not an integer of at least 0");
  refused(row("1", "scalar", "[1]"), "the field 'sizes' is not an object");
  refused(row("1", "scalar", "{}"), "there are two versions general for scalar");
  refused(row("1", "avx2", "{\"N\": 1}"), "there is no version for avx2 and all sizes");
  refused(row("1", "scalar", "{\"N\": 1}") + "," + row("1", "scalar", "{\"N\": 2}"),
          "two versions are in the folder '1'");
  std::string many;
  for (size_t i = 0; i <= kMostVersions; i++)
    many += (i ? "," : "") + row(std::to_string(i), "scalar", "{\"N\": " + std::to_string(i) + "}");
  refused(many, "it lists 257 versions; at most 256 are allowed");
}

TEST_F(Versions, VersionsThatTheTableDescribesWronglyAreRefused) {
  const auto relabel = [&](SymbolSizes sizes, const std::string& isa = "scalar") {
    write_versions(directory(), {{"1", isa, std::move(sizes), ""}});
    reseal();
  };
  relabel({{"N", 2}});
  expect_error("its version N=2 was compiled for another size of 'N'");
  relabel({{"M", 1}});
  expect_error("its version M=1 fixes the dimension 'M', which the model does not have");
  Plan other = fixed_plan(1);
  other.outputs[0].name = "z";
  fs::remove_all(directory() + "/versions/1");
  write_package(directory() + "/versions/1", other, source_with(3), kTwoStepWeights);
  relabel({{"N", 1}});
  expect_error("its version N=1 has other inputs or outputs than the general one");
}

TEST_F(Versions, AreSealedAgainWithThePackage) {
  compile_library(source_with(5), directory() + "/versions/2/kernels_0.so");
  compile_library(source_with(6), directory() + "/kernels_0.so");
  expect_error("'kernels_0.so' ");  // has another size or another hash
  reseal_package(directory());
  Session session(Executable::load(directory()));
  EXPECT_EQ(first_result(session, 8), 4 * 5);
  EXPECT_EQ(first_result(session, 7), 1 * 6);
}

TEST_F(Versions, ParametersAreReplacedInAll) {
  const std::string package = scratch_.file("free");
  const auto with_parameter = [](Plan plan) {
    plan.parameters = {{{"w", DType::f32, {num(4)}, 0}, 1}};
    return plan;
  };
  write_package(package, with_parameter(two_step_plan()), kTwoStepSource, kTwoStepWeights);
  write_package(package + "/versions/1", with_parameter(fixed_plan(8)), source_with(3), kTwoStepWeights);
  write_versions(package, {{"1", "scalar", {{"N", 8}}, ""}});
  write_manifest(package, "scalar");
  Session session(Executable::load(package));
  Tensor w(DType::f32, {4});
  std::fill_n(w.as<float>(), 4, 10.0f);
  session.set_parameter("w", w.view());
  EXPECT_EQ(first_result(session, 8), 10 * 3);
  EXPECT_EQ(first_result(session, 7), 10 * 2);
}

bool runs_avx2() {
  const VecISA* isa = find_isa("avx2");  // null on other architectures
  return isa && detect_cpu_features().has_all(isa->required);
}

TEST(BestIsa, IsTheLastRowThatTheCpuRuns) {
  if (!find_isa("avx2")) GTEST_SKIP() << "another architecture";
  const std::vector<std::string> three{"avx512", "scalar", "avx2"};
  const CpuFeatures avx2 = find_isa("avx2")->required, avx512 = find_isa("avx512")->required;
  EXPECT_EQ(best_isa_of(three, {}), "scalar");
  EXPECT_EQ(best_isa_of(three, avx2), "avx2");
  EXPECT_EQ(best_isa_of(three, avx512.with(avx2)), "avx512");
  EXPECT_EQ(best_isa_of(std::vector<std::string>{"avx512", "avx2"}, {}), "");
  EXPECT_EQ(best_isa_of(std::vector<std::string>{"sparc"}, avx2), "") << "unknown";
}

// The package's own folder is for scalar code; the version for avx2 has one of its own for N=8.
TEST_F(Versions, TheBestInstructionSetIsLoaded) {
  if (!runs_avx2()) GTEST_SKIP() << "no avx2";
  const auto for_avx2 = [](Plan plan) {
    plan.isa = "avx2";
    return plan;
  };
  write_package(directory() + "/versions/3", for_avx2(two_step_plan()), source_with(5), kTwoStepWeights);
  write_package(directory() + "/versions/4", for_avx2(fixed_plan(8)), source_with(6), kTwoStepWeights);
  write_versions(directory(), {{"1", "scalar", {{"N", 1}}, ""}, {"3", "avx2", {}, ""}, {"4", "avx2", {{"N", 8}}, ""}});
  reseal();
  Session session(Executable::load(directory()));
  EXPECT_EQ(session.plan().isa, "avx2");
  EXPECT_EQ(first_result(session, 1), 1 * 5);
  EXPECT_EQ(first_result(session, 8), 1 * 6);
  LoadOptions only;
  only.isas = {"scalar"};
  Session scalar(Executable::load(directory(), only));
  EXPECT_EQ(scalar.plan().isa, "scalar");
  EXPECT_EQ(first_result(scalar, 1), 1 * 3);
  EXPECT_EQ(first_result(scalar, 8), 1 * 2);
  only.isas = {"avx512_vnni"};  // a limit: it need not be there
  EXPECT_EQ(Executable::load(directory(), only)->plan().isa, "avx2");
}

// Every instruction set permits scalar code.
TEST_F(Versions, InstructionSetsThatAreNotPermitted) {
  if (!runs_avx2()) GTEST_SKIP() << "no avx2";
  Plan plan = two_step_plan();
  plan.isa = "avx2";
  TempDirectory other;
  write_package(other.path(), plan, source_with(5), kTwoStepWeights);
  LoadOptions limit;
  limit.isas = {"scalar"};
  try {
    Executable::load(other.path(), limit);
    ADD_FAILURE() << "loaded";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("has kernels for the ISA avx2, which ISA=scalar does not permit"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(Executable::load(directory(), limit)->plan().isa, "scalar");
  limit.isas = {"scalar", "avx512"};
  EXPECT_EQ(Executable::load(other.path(), limit)->plan().isa, "avx2");
}

}  // namespace
}  // namespace cppgen::rt::test
