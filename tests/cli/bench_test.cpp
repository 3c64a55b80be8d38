#include <nlohmann/json.hpp>

#include "runtime/base/bug_reports.h"
#include "runtime/values/npy.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;
class Bench : public CliTest {};

TEST_F(Bench, ColdMeasuresEverythingWithAPrivateCache) {
  const Ended ended =
      run({"bench", symbolic_model(), "--dim", "N=64", "--runs", "12", "--threads", "1", "--cold", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["runs"], 12);
  for (const char* number :
       {"mean_ms", "median_ms", "min_ms", "p90_ms", "p99_ms", "compile_s", "weights_s", "load_s", "peak_rss_mb"})
    EXPECT_GT(report[number].get<double>(), 0) << number;
  EXPECT_LE(report["min_ms"], report["median_ms"]);
  EXPECT_LE(report["median_ms"], report["p90_ms"]);
  EXPECT_LE(report["p90_ms"], report["p99_ms"]);
  EXPECT_EQ(report["cold"], true);
  EXPECT_GT(report["compile_s"], report["load_s"]) << "the load is warm";
  EXPECT_EQ(report["threads"], 1);
  EXPECT_EQ(report["steps"].size(), 1u);
  EXPECT_FALSE(report["steps"][0].contains("ms"));
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
  EXPECT_FALSE(std::filesystem::exists(path("cache/cppgen"))) << "the user's cache was touched";
}

TEST_F(Bench, UsesTheCacheUnlessItIsCold) {
  const std::vector<std::string> arguments{"bench", symbolic_model(), "--dim", "N=64", "--runs", "10", "--json"};
  const auto report = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    const Ended ended = run(more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(ended.out);
  };
  const json first = report({}), second = report({}), cold = report({"--cold"});
  EXPECT_TRUE(std::filesystem::exists(path("cache/cppgen/kernels")));
  EXPECT_EQ(first["cold"], true);
  EXPECT_EQ(second["cold"], false);
  EXPECT_EQ(cold["cold"], true);
  EXPECT_LT(second["compile_s"], first["compile_s"]);
  EXPECT_LT(second["compile_s"], cold["compile_s"]);
  environment["CPPGEN_RECOMPILE"] = "1";
  const json recompiled = report({});
  EXPECT_EQ(recompiled["cold"], true);
  EXPECT_LT(recompiled["load_s"], recompiled["compile_s"]) << "the new process compiled, too";
}

TEST_F(Bench, ColdIsAboutModelsThatAreCompiled) {
  ASSERT_EQ(run({"compile", symbolic_model(), "-o", path("package")}).status, 0);
  const Ended ended = run({"bench", path("package"), "--dim", "N=2", "--cold"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("--cold needs the .onnx file"), std::string::npos) << ended.err;
}

// The same models as for `run`: the time of a row that is not there would be an error.
TEST_F(Bench, TakesInputs) {
  const auto ids = [&](const std::string& name, int64_t index) {
    rt::Tensor tensor(DType::i64, {4});
    std::fill(tensor.as<int64_t>(), tensor.as<int64_t>() + 4, index);
    rt::write_npy(path(name), tensor.view());
    return "ids=" + path(name);
  };
  const std::string model = gather_model(), good = ids("good.npy", 2), bad = ids("bad.npy", 3);
  EXPECT_EQ(run({"bench", model, "--runs", "10", "--input", good}).status, 0);
  EXPECT_EQ(run({"profile", model, "--runs", "10", "--input", good}).status, 0);
  for (const char* command : {"bench", "profile"}) {
    const Ended ended = run({command, model, "--runs", "10", "--input", bad});
    EXPECT_EQ(ended.status, 2) << command;
    EXPECT_NE(ended.err.find("out of range"), std::string::npos) << ended.err;
  }
}

TEST_F(Bench, TakesValuesOfAnyKind) {
  ModelMaker maker(18);
  maker.input("words", {"N"}, onnx::TensorProto::STRING).output("y");
  maker.node("StringNormalizer", {"words"}, {"y"});
  const Ended ended = run({"bench", write("words.onnx", maker), "--dim", "N=3", "--runs", "10", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_GT(report["median_ms"].get<double>(), 0);
  EXPECT_FALSE(report.contains("batch"));
}

// In a closed loop, as many runs are in progress at any time as there are clients.
TEST_F(Bench, ClientsRunAtTheSameTime) {
  for (const char* streams : {"1", "2"}) {
    const Ended ended = run({"bench", symbolic_model(), "--dim", "N=4096", "--clients", "3", "--seconds", "0.3",
                             "--threads", "1", "--set", std::string("NUM_STREAMS=") + streams, "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const json report = json::parse(ended.out);
    EXPECT_EQ(report["clients"], 3);
    EXPECT_GT(report["runs"], 3);
    const double rate = report["runs_per_s"];
    EXPECT_NEAR(rate * report["mean_ms"].get<double>() / 1e3, 3, 0.7);
    EXPECT_GE(double(report["runs"]) / rate, 0.299);
    EXPECT_EQ(report["batch"], 4096);
    EXPECT_DOUBLE_EQ(report["items_per_s"], 4096 * rate);
  }
}

TEST_F(Bench, RunsAreSharedByClients) {
  const Ended ended = run({"bench", symbolic_model(), "--dim", "N=2", "--clients", "4", "--runs", "50", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["runs"], 50);
  const Ended text = run({"bench", symbolic_model(), "--dim", "N=2", "--clients", "4", "--runs", "50"});
  EXPECT_NE(text.out.find(" items/s (batch 2) by 4 clients\n"), std::string::npos) << text.out;
}

TEST_F(Bench, SecondsInsteadOfRuns) {
  const std::string model = symbolic_model();
  const Ended ended = run({"bench", model, "--dim", "N=2", "--seconds", "0.2", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_GE(report["runs"].get<double>() * report["mean_ms"].get<double>() / 1e3, 0.199);
  EXPECT_GT(report["runs"], 1000) << "as many as fit, of some microseconds";
  EXPECT_EQ(run({"bench", model, "--dim", "N=2", "--seconds", "1", "--runs", "1"}).status, 2);
  EXPECT_EQ(run({"bench", model, "--dim", "N=2", "--clients", "0"}).status, 2);
  EXPECT_EQ(run({"bench", model, "--dim", "N=2", "--clients", "2", "--against", "onednn"}).status, 2);
  EXPECT_EQ(run({"bench", model, "--dim", "N=2", "--clients", "2", "--reference"}).status, 2);
}

TEST_F(Bench, KernelProfile) {
  const Ended ended =
      run({"bench", symbolic_model(), "--dim", "N=64", "--runs", "10", "--set", "ENABLE_KERNEL_PROFILE=1", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json step = json::parse(ended.out)["steps"][0];
  EXPECT_GT(step["calls"], 10);
  EXPECT_GT(step["ms"].get<double>(), 0);
  EXPECT_GT(step["gb_per_s"].get<double>(), 0);
}

TEST_F(Bench, Profile) {
  const std::vector<std::string> arguments{"profile", symbolic_model(), "--dim", "N=64", "--runs", "10", "--json"};
  const Ended ended = run(arguments);
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["runs"], 10);
  EXPECT_GT(report["peaks"]["gflops_per_s"].get<double>(), 0.1);
  for (const json& level : report["peaks"]["levels"]) EXPECT_GT(level["gb_per_s"].get<double>(), 0.1);
  double shares = 0, sum = 0;
  for (const json& step : report["steps"]) {
    shares += step["share"].get<double>();
    sum += step["ms"].get<double>();
    EXPECT_GT(step["bound_ms"].get<double>(), 0);
    EXPECT_GT(step["predicted_ms"].get<double>(), 0);
    EXPECT_GT(step["cost"]["instructions"].get<double>(), 0);
  }
  EXPECT_NEAR(shares, 1, 1e-6);
  EXPECT_NEAR(sum, report["steps_ms"].get<double>(), 1e-6 * sum);
  // Peaks are measured once.
  EXPECT_EQ(json::parse(run(arguments).out)["peaks"], report["peaks"]);
}

// Between its plans the host runs, which is not measured.
TEST_F(Bench, ProfileOfAModelOfSeveralPlans) {
  ModelMaker maker;
  maker.input("x", {"64"}).output("y");
  maker.node("Exp", {"x"}, {"e"});
  maker.node("NonZero", {"e"}, {"i"});
  maker.node("Neg", {"i"}, {"y"});
  const Ended ended = run({"profile", write("plans.onnx", maker), "--runs", "5", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json steps = json::parse(ended.out)["steps"];
  EXPECT_GT(steps[0]["bound_ms"].get<double>(), 0);
  EXPECT_FALSE(steps.back().contains("bound_ms")) << steps.back();
}

TEST_F(Bench, ProfileSaysWhatBoundsEachStep) {
  const Ended ended = run({"profile", symbolic_model(), "--dim", "N=64", "--runs", "10"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const char* text : {"median of 10 runs", " GFLOP/s, ", "bound  ", "x bound"})
    EXPECT_NE(ended.out.find(text), std::string::npos) << text << " in:\n" << ended.out;
  EXPECT_EQ(run({"profile", symbolic_model(), "--dim", "N=64", "--set", "FORCE_NATIVE_RUNTIME=1"}).status, 2);
}

// A package needs no compiler; only the machine's peaks do.
TEST_F(Bench, ProfileOfAPackageWithoutCompilerHasNoBounds) {
  ASSERT_EQ(run({"compile", symbolic_model(), "-o", path("package")}).status, 0);
  environment["CPPGEN_CXX"] = "/nowhere/g++";
  const Ended ended = run({"profile", path("package"), "--dim", "N=64", "--runs", "10", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.err.find("bounds are not shown"), std::string::npos) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_TRUE(report["peaks"].is_null());
  EXPECT_FALSE(report["steps"][0].contains("bound_ms"));
}

TEST_F(Bench, AgainstOnednn) {
  const Ended ended =
      run({"bench", symbolic_model(), "--dim", "N=64", "--runs", "10", "--against", "onednn", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json against = json::parse(ended.out)["against"];
  EXPECT_EQ(against["runs"], 10);
  EXPECT_GT(against["ratio"].get<double>(), 0);
  EXPECT_EQ(against["outputs_agree"], true);
  EXPECT_GE(against["primitives"].get<int>() + int(against["steps"].size()), 1);
  for (const char* number : {"primitives_ms", "kernels_ms", "reorders"})
    EXPECT_TRUE(against[number].is_number()) << number;
  for (const json& step : against["steps"]) {
    EXPECT_NE(step["kind"], "");
    EXPECT_EQ(step["nodes"].empty(), step["kind"] == "reorder");
    EXPECT_GT(step["ms"].get<double>(), 0);
  }
}

TEST_F(Bench, AgainstOnednnSaysWhatRunsWhere) {
  const Ended ended = run({"bench", symbolic_model(), "--dim", "N=64", "--runs", "10", "--against", "onednn"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("oneDNN primitives "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("outputs  agree"), std::string::npos) << ended.out;
}

TEST_F(Bench, Interpreted) {
  environment["CPPGEN_FORCE_NATIVE_RUNTIME"] = "1";
  const Ended ended = run({"bench", symbolic_model(), "--dim", "N=2", "--runs", "10", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["isa"], "interpreter");
  EXPECT_EQ(report["steps"][0]["kind"], "interpreted");
  EXPECT_EQ(run({"bench", symbolic_model(), "--dim", "N=2", "--against", "onednn"}).status, 2);
}

TEST_F(Bench, UnboundDimensionIsNamed) {
  const Ended ended = run({"bench", symbolic_model()});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("the dimension 'N' (input 'x' axis 0) has no size"), std::string::npos) << ended.err;
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

// Without a cache the fresh process compiles again, with a compiler that ends whoever starts it a second time.
TEST_F(Bench, WhatIsNoUsersErrorAsksToBeReported) {
  const std::string compiler =
      folder.write("g++-once", "#!/bin/sh\nfor a in \"$@\"; do case $a in *.cpp) [ -e " + path("once") +
                                   " ] && kill -9 $PPID; touch " + path("once") + ";; esac; done\nexec g++ \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  environment["CPPGEN_CXX"] = compiler;
  environment["CPPGEN_VEC_ISA_OK"] = "1";
  environment["CPPGEN_FORCE_DISABLE_CACHES"] = "1";
  const std::string model = symbolic_model();
  const Ended ended = run({"bench", model, "--dim", "N=2", "--runs", "10", "--set", "CXX=" + compiler});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.out, "");
  const size_t after_warnings = ended.err.find("cppgen: internal error");  // a busy machine is warned about
  ASSERT_NE(after_warnings, std::string::npos) << ended.err;
  EXPECT_EQ(ended.err.substr(after_warnings),
            "cppgen: internal error: bench: the measuring process was killed by signal 9 (Killed): \n"
            "This is a bug in cppgen. Please report it to " +
                bug_report_address() +
                ", with this output, the version (cppgen 0.2.0) and the command:\n  cppgen bench " + model +
                " --dim N=2 --runs 10 --set CXX=" + compiler +
                "\nThe archive that --set TRACE=1 writes (TRACE_DIR/MODEL.tar) lets others repeat it; `cppgen minify "
                "MODEL` makes a small model that shows the same.\n");
}

}  // namespace
}  // namespace cppgen
