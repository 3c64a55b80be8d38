// Whole tunings of a small model, with a program that misbehaves where a test wants it.
#include "cppgen/tune/tuner.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "tests/cli/program.h"

namespace cppgen::tune {
namespace {

class Tuner : public CliTest {
 protected:
  // A product and a Relu.
  std::string model() const {
    ModelMaker maker;
    maker.input("x", {"64", "64"}).input("w", {"64", "96"}).output("y");
    maker.node("MatMul", {"x", "w"}, {"p"}, "product");
    maker.node("Relu", {"p"}, {"y"}, "relu");
    return write("model.onnx", maker);
  }

  // A convolution of so few channels that Winograd's algorithm is no usual choice, whatever the instruction set.
  std::string convolution() const {
    ModelMaker maker;
    maker.input("x", {"1", "8", "12", "12"}).output("y");
    maker.initializer("w", {16, 8, 3, 3}, onnx::TensorProto::FLOAT).set_raw_data(std::string(16 * 8 * 9 * 4, '\x3e'));
    maker.node("Conv", {"x", "w"}, {"y"}, "conv");
    return write("conv.onnx", maker);
  }

  // cppgen, but for variants, where `script` comes first; $1 is the command, $2 the package.
  std::string program(const std::string& script) const {
    const std::string file = folder.write(
        "program", "#!/bin/sh\ncase $2 in */variant)\n" + script + "\nesac\nexec " CPPGEN_PROGRAM " \"$@\"\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

  // A long sum, which is computed in two kernels.
  std::string long_sum() const {
    ModelMaker maker;
    maker.input("x", {"50000"}).output("y");
    maker.node("ReduceSum", {"x"}, {"y"}, "sum");
    return write("sum.onnx", maker);
  }

  TuneReport tuned(const std::string& script, std::vector<std::pair<std::string, std::string>> options = {},
                   const std::function<void(TuneRequest&)>& change = {}) const {
    options.insert(options.begin(), {{"CACHE_DIR", path("cache")},
                                     {"THREADS", "1"},
                                     {"MAX_AUTOTUNE_GEMM", "1"},
                                     {"MAX_AUTOTUNE_GEMM_BACKENDS", "CPP,XSMM"},
                                     {"AUTOTUNE_MAX_CANDIDATES", "1"}});
    return tuned_model(model(), script, options, change);
  }

  // What else this machine does is not looked at, unless `change` says so.
  TuneReport tuned_model(const std::string& model, const std::string& script,
                         const std::vector<std::pair<std::string, std::string>>& options,
                         const std::function<void(TuneRequest&)>& change = {}) const {
    TuneRequest request;
    request.load = nullptr;
    request.compile.model = model;
    request.compile.settings = Settings::from_environment(process_environment(), options);
    request.program = program(script);
    if (change) change(request);
    return tune_model(request);
  }

  std::string stored() const { return try_read_file(path("cache/tuning/results.jsonl")).value_or(""); }
};

constexpr const char* kSlowTimes =
    "[ $1 = profile -o $1 = bench ] && echo '{\"profiled_runs\": 1, \"median_ms\": 1000, \"steps\": "
    "[{\"origins\": [\"product\", \"relu\"], \"calls\": 1, \"ms\": 1000}]}' && exit 0";
constexpr const char* kFastTimes =
    "[ $1 = profile -o $1 = bench ] && echo '{\"profiled_runs\": 1, \"median_ms\": 1e-9, \"steps\": "
    "[{\"origins\": [\"product\", \"relu\"], \"calls\": 1, \"ms\": 1e-9}]}' && exit 0";

TEST_F(Tuner, KeepsWhatIsFasterAndRemembersIt) {
  const TuneReport report = tuned(kFastTimes);
  EXPECT_TRUE(report.kept);
  ASSERT_EQ(report.sites.size(), 1u);
  EXPECT_EQ(report.sites[0].candidate, "XSMM");
  EXPECT_NE(stored().find("\"backend\":\"XSMM\""), std::string::npos);
  EXPECT_TRUE(tuned("exit 1").known) << "nothing runs again";

  environment["CPPGEN_CACHE_DIR"] = path("cache"), environment["CPPGEN_THREADS"] = "1";
  const Ended compiled = run({"explain", model(), "--json"});
  EXPECT_NE(compiled.out.find("\"xsmm\""), std::string::npos) << compiled.err;
  environment["CPPGEN_THREADS"] = "2";
  EXPECT_NE(run({"explain", model(), "--json"}).out.find("\"xsmm\""), std::string::npos) << "it may change bits";
  environment["CPPGEN_ISA"] = "scalar";
  EXPECT_EQ(run({"explain", model(), "--json"}).out.find("\"xsmm\""), std::string::npos) << "another place";
}

// With twice the least number of points, the sum is one kernel.
TEST_F(Tuner, ChoosesConstantsOfTheWholeProgram) {
  const std::string fast =
      std::string(kFastTimes).replace(std::string(kFastTimes).find("\"product\", \"relu\""), 17, "\"sum\"");
  const TuneReport report =
      tuned_model(long_sum(), fast, {{"CACHE_DIR", path("cache")}, {"THREADS", "1"}, {"AUTOTUNE_MAX_CANDIDATES", "2"}});
  EXPECT_TRUE(report.kept);
  ASSERT_FALSE(report.sites.empty());
  EXPECT_TRUE(report.sites[0].candidate.starts_with("split_points=65536")) << report.sites[0].candidate;
  EXPECT_TRUE(report.sites[0].nodes.empty());

  environment["CPPGEN_CACHE_DIR"] = path("cache"), environment["CPPGEN_THREADS"] = "1";
  const auto steps = [&] { return nlohmann::json::parse(run({"explain", long_sum(), "--json"}).out)["steps"].size(); };
  EXPECT_EQ(steps(), 1u);
  environment["CPPGEN_DETERMINISTIC"] = "1";
  EXPECT_EQ(steps(), 2u) << "the order of the sum changes its bits";
}

// Steps side by side are part of the plan if whole runs are faster with them.
TEST_F(Tuner, ChoosesStreams) {
  const std::string fast_streams =
      "[ $1 = bench ] && grep -Eq '\"streams\": ?4' $2/plan.json && "
      "echo '{\"profiled_runs\": 1, \"median_ms\": 1e-9, \"steps\": []}' && exit 0";
  const std::vector<std::pair<std::string, std::string>> options{
      {"CACHE_DIR", path("cache")}, {"THREADS", "1"}, {"AUTOTUNE_MAX_CANDIDATES", "1"}};
  const TuneReport report = tuned_model(model(), fast_streams, options);
  EXPECT_TRUE(report.kept);
  ASSERT_FALSE(report.sites.empty());
  EXPECT_NE(report.sites[0].candidate.find("streams=4"), std::string::npos) << report.sites[0].candidate;
  environment["CPPGEN_CACHE_DIR"] = path("cache"), environment["CPPGEN_THREADS"] = "1";
  ASSERT_EQ(run({"compile", model(), "-o", path("package")}).status, 0);
  EXPECT_EQ(nlohmann::json::parse(read_file(path("package/plan.json")))["streams"], 4);
  EXPECT_EQ(run({"run", path("package")}).status, 0);
}

// A choice of an earlier tuning, or of another machine, that loses now.
TEST_F(Tuner, WithdrawsStoredChoicesThatAreSlower) {
  (void)tuned(kFastTimes);
  ASSERT_NE(stored().find("\"backend\":\"XSMM\""), std::string::npos);
  const TuneReport report = tuned(kSlowTimes, {{"FORCE_PROFILE", "1"}});
  EXPECT_FALSE(report.kept);
  ASSERT_EQ(report.withdrawn.size(), 1u);
  EXPECT_EQ(report.others, 0);
  environment["CPPGEN_CACHE_DIR"] = path("cache"), environment["CPPGEN_THREADS"] = "1";
  EXPECT_EQ(run({"explain", model(), "--json"}).out.find("\"xsmm\""), std::string::npos);
}

TEST_F(Tuner, KeepsNothingThatIsSlower) {
  const TuneReport report = tuned(kSlowTimes);
  EXPECT_FALSE(report.kept);
  EXPECT_TRUE(report.sites.empty());
  EXPECT_EQ(report.measured, 1);
  EXPECT_EQ(stored().find("\"backend\":\"XSMM\""), std::string::npos);
}

TEST_F(Tuner, ACandidateThatCrashesLoses) {
  const TuneReport report = tuned("kill -SEGV $$");
  EXPECT_FALSE(report.kept);
  ASSERT_EQ(report.failed.size(), 1u);
  EXPECT_NE(report.failed[0].find("XSMM: was killed by signal 11"), std::string::npos) << report.failed[0];
}

// Other packages take no time, so that a slow machine keeps the limit.
TEST_F(Tuner, ACandidateThatHangsLoses) {
  const std::string others = ";;\n*)\n" + std::string(kSlowTimes) + "\n[ $1 = run ] && exit 0";
  const TuneReport report = tuned("exec sleep 1000" + others, {{"AUTOTUNE_RESULT_TIMEOUT_SECONDS", "2"}});
  EXPECT_FALSE(report.kept);
  ASSERT_EQ(report.failed.size(), 1u);
  EXPECT_NE(report.failed[0].find("was stopped after 2"), std::string::npos) << report.failed[0];
}

TEST_F(Tuner, ACandidateThatIsNotCompiledLoses) {
  const std::string compiler = folder.write(
      "g++", "#!/bin/sh\nfor a; do case $a in *.cpp) grep -qi winograd $a && exit 1;; esac; done\nexec g++ \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const TuneReport report = tuned_model(convolution(), ":;;",
                                        {{"CACHE_DIR", path("cache")},
                                         {"CXX", compiler},
                                         {"THREADS", "1"},
                                         {"MAX_AUTOTUNE_GEMM", "1"},
                                         {"MAX_AUTOTUNE_CONV_BACKENDS", "CPP,WINOGRAD_2X2"},
                                         {"AUTOTUNE_MAX_CANDIDATES", "1"}});
  ASSERT_EQ(report.failed.size(), 1u);
  EXPECT_NE(report.failed[0].find("WINOGRAD_2X2: the compiler of kernel unit"), std::string::npos) << report.failed[0];
}

// The expected outputs change between the usual package and the candidate.
TEST_F(Tuner, ACandidateThatIsWrongLoses) {
  const TuneReport report = tuned(
      "[ $1 = verify ] && head -c 128 /dev/zero > $3/zeros && "
      "for f in $3/out_*.npy; do s=$(wc -c < $f); (head -c 128 $f; head -c $((s - 128)) "
      "/dev/zero) > $f.new; mv $f.new $f; done");
  EXPECT_FALSE(report.kept);
  ASSERT_EQ(report.failed.size(), 1u);
  EXPECT_NE(report.failed[0].find("XSMM: gives other results"), std::string::npos) << report.failed[0];
}

// It is killed as soon as it writes down what it measured, and again when it continues.
TEST_F(Tuner, SurvivesAKill) {
  environment["CPPGEN_CACHE_DIR"] = path("cache");
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "2";
  for (int i = 0; i < 2; i++)
    EXPECT_EQ(run_and_signal({"tune", model()}, SIGKILL, path("cache/tuning")).status, -SIGKILL);
  EXPECT_EQ(stored(), "");
  const Ended ended = run({"tune", model(), "--any-load"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(stored().find("model.onnx"), std::string::npos);
  EXPECT_NE(run({"tune", model()}).out.find("tuned before"), std::string::npos);
  EXPECT_EQ(run({"tune", model(), "--any-load", "--renew"}).out.find("tuned before"), std::string::npos);
}

// Somebody kills what runs a candidate: this is no verdict, and the next tuning tries again.
TEST_F(Tuner, ACandidateThatIsKilledFromOutsideIsTriedAgain) {
  for (const char* script :
       {"echo >> starts; kill -KILL $$", "kill -TERM $$", "exit 137", "echo 'cppgen: out of memory'; exit 2"}) {
    const TuneReport report = tuned(script);
    EXPECT_FALSE(report.known) << script;
    EXPECT_FALSE(report.kept);
    EXPECT_TRUE(report.failed.empty()) << script;
    ASSERT_EQ(report.interrupted.size(), 1u) << script;
    EXPECT_EQ(stored(), "") << "no verdict";
  }
  const TuneReport report = tuned(kFastTimes);
  EXPECT_TRUE(report.kept) << "the candidate was measured at last";
  EXPECT_TRUE(tuned("exit 1").known);
}

// Compilers of which the driver tells.
TEST_F(Tuner, ACompilerThatIsKilledIsNoVerdict) {
  const std::string model = convolution();
  for (const std::string end :
       {"kill -KILL $$", "echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1"}) {
    const std::string compiler =
        folder.write("g++", "#!/bin/sh\nfor a; do case $a in *.cpp) grep -qi winograd $a && { " + end +
                                "; };; esac; done\nexec g++ \"$@\"\n");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    const TuneReport report = tuned_model(model, ":;;",
                                          {{"CACHE_DIR", path("cache")},
                                           {"CXX", compiler},
                                           {"THREADS", "1"},
                                           {"MAX_AUTOTUNE_GEMM", "1"},
                                           {"MAX_AUTOTUNE_CONV_BACKENDS", "CPP,WINOGRAD_2X2"},
                                           {"AUTOTUNE_MAX_CANDIDATES", "1"}});
    EXPECT_FALSE(report.known);
    ASSERT_EQ(report.interrupted.size(), 1u) << end;
    EXPECT_NE(report.interrupted[0].find("WINOGRAD_2X2: the compiler of kernel unit"), std::string::npos);
    EXPECT_EQ(stored(), "");
  }
}

// An interrupted tuning goes on where it stopped, and says so.
TEST_F(Tuner, SaysThatItResumes) {
  const std::vector<std::pair<std::string, std::string>> more{{"AUTOTUNE_MAX_CANDIDATES", "3"}};
  int measured = 0;
  const auto interrupt = [&](TuneRequest& request) {
    request.on_progress = [&](const std::string& what, int, int) {
      if (what.starts_with("measuring ") && ++measured == 2) throw Cancelled("interrupted");
    };
  };
  EXPECT_THROW(tuned(kSlowTimes, more, interrupt), Cancelled);
  std::string note;
  const TuneReport report = tuned(
      kSlowTimes, more, [&](TuneRequest& request) { request.on_note = [&](const std::string& line) { note = line; }; });
  EXPECT_EQ(report.resumed, 1);
  EXPECT_GT(report.considered, 1);
  EXPECT_EQ(note, fmt::format("resuming: 1 of {} candidates were measured before", report.considered));
}

TEST_F(Tuner, StopsAtTheDeadlineWithoutAVerdict) {
  const auto late = [](TuneRequest& request) { request.deadline = std::chrono::steady_clock::now(); };
  const TuneReport report = tuned(kFastTimes, {}, late);
  EXPECT_TRUE(report.stopped);
  EXPECT_GT(report.left, 0);
  EXPECT_EQ(report.measured, 0);
  EXPECT_EQ(stored(), "");
  const auto soon = [](TuneRequest& request) {
    request.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  };
  const TuneReport whole = tuned(kFastTimes, {}, soon);
  EXPECT_FALSE(whole.stopped);
  EXPECT_TRUE(whole.kept);

  environment["CPPGEN_CACHE_DIR"] = path("another_cache");
  const Ended ended = run({"tune", model(), "--seconds", "0.01"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("the time is up (--seconds)"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("The same command continues"), std::string::npos) << ended.out;
  EXPECT_EQ(run({"tune", model(), "--seconds", "0"}).status, 2);
  EXPECT_EQ(run({"tune", model(), "--seconds", "nan"}).status, 2);
}

// A machine on which others use all CPUs.
CpuUseSource busy_machine() {
  return [at = 0.0]() mutable -> std::optional<CpuUse> {
    CpuUse use;
    use.cpus = 2, use.at = at += 100, use.all = 2 * use.at;
    return use;
  };
}

TEST_F(Tuner, WhatABusyMachineGaveIsMarkedAndMeasuredAgain) {
  const auto busy = [](TuneRequest& request) { request.load = busy_machine(); };
  const TuneReport report = tuned(kFastTimes, {}, busy);
  EXPECT_TRUE(report.kept) << "even its slowest run is faster than the fastest usual one";
  EXPECT_TRUE(report.under_load);
  EXPECT_NE(stored().find("\"under_load\":true"), std::string::npos);
  const TuneReport still = tuned("exit 1", {}, busy);
  EXPECT_TRUE(still.known && still.under_load) << "nothing better can be had now";
  const TuneReport quiet = tuned(kFastTimes);
  EXPECT_FALSE(quiet.known) << "it is measured again by itself";
  EXPECT_FALSE(quiet.under_load);
  EXPECT_TRUE(tuned("exit 1").known);
}

// A package takes along the results for its own sites.
TEST_F(Tuner, PackagesContainTheResultsTheyUse) {
  ASSERT_TRUE(tuned(kFastTimes).kept);
  environment["CPPGEN_CACHE_DIR"] = path("cache"), environment["CPPGEN_THREADS"] = "1";
  ModelMaker maker;
  maker.input("x", {"8"}).output("y").node("Neg", {"x"}, {"y"});
  EXPECT_EQ(run({"compile", model(), "-o", path("tuned")}).status, 0);
  EXPECT_EQ(run({"compile", write("other.onnx", maker), "-o", path("other")}).status, 0);
  EXPECT_EQ(run({"run", path("tuned")}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(path("other/tuning.jsonl")));
  environment["CPPGEN_CACHE_DIR"] = path("another_cache");
  EXPECT_EQ(run({"tune", "--import", path("tuned")}).out, "1 new result imported\n");
  EXPECT_EQ(nlohmann::json::parse(run({"tune", "--import", path("tuned"), "--json"}).out)["imported"], 0);
  EXPECT_EQ(nlohmann::json::parse(run({"tune", "--export", path("all.jsonl"), "--json"}).out)["exported"],
            path("all.jsonl"));
  EXPECT_NE(run({"explain", model(), "--json"}).out.find("\"xsmm\""), std::string::npos);
  const Ended none = run({"tune", "--import", path("other")});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("without results of tunings"), std::string::npos) << none.err;
}

// Each model once, with the sizes of its compilation; a record of a model that was removed does no harm to the others.
TEST_F(Tuner, TunesTheModelsThatWereRecorded) {
  environment["CPPGEN_CACHE_DIR"] = path("cache"), environment["CPPGEN_THREADS"] = "1";
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "1";
  const std::string record = path("records.jsonl");
  ModelMaker maker;
  maker.input("x", {"rows", "64"}).input("w", {"64", "96"}).output("y").node("MatMul", {"x", "w"}, {"y"}, "product");
  const std::string symbolic = write("symbolic.onnx", maker);
  for (const std::string& dim : {"rows=8", "rows=32", "rows=8"})
    EXPECT_EQ(run({"compile", symbolic, "-o", path("package"), "--dim", dim, "--set", "OPS_RECORD=" + record}).status,
              0);
  EXPECT_EQ(run({"compile", model(), "-o", path("package"), "--set", "OPS_RECORD=" + record}).status, 0);
  std::filesystem::remove(path("model.onnx"));

  const Ended ended = run({"tune", "--from", record, "--json"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("model.onnx"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("1 model not tuned"), std::string::npos) << ended.err;
  const nlohmann::json models = nlohmann::json::parse(ended.out)["models"];
  ASSERT_EQ(models.size(), 2u);
  for (const auto& report : models) EXPECT_FALSE(report["known"].get<bool>()) << "the sizes differ";
  EXPECT_NE(run({"tune", symbolic, "--dim", "rows=32", "--set", "MAX_AUTOTUNE_GEMM=1"}).out.find("tuned before"),
            std::string::npos);
}

// The general version has no sizes to tune it with.
TEST_F(Tuner, TunesTheVersionsThatWereRecorded) {
  environment["CPPGEN_CACHE_DIR"] = path("cache"), environment["CPPGEN_THREADS"] = "1";
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "1";
  ModelMaker maker;
  maker.input("x", {"rows", "64"}).input("w", {"64", "96"}).output("y").node("MatMul", {"x", "w"}, {"y"}, "product");
  const std::string record = path("records.jsonl"), model = write("symbolic.onnx", maker);
  ASSERT_EQ(run({"compile", model, "-o", path("package"), "--sizes", "rows=8", "--sizes", "rows=16", "--set",
                 "OPS_RECORD=" + record})
                .status,
            0);
  const Ended ended = run({"tune", "--from", record, "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out)["models"].size(), 2u) << ended.out;
}

TEST_F(Tuner, RefusesWhatIsNoRecord) {
  const Ended ended = run({"tune", "--from", folder.write("records", "{\"model\": 3}\n")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("records:1: is not a record of a contraction"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace cppgen::tune
