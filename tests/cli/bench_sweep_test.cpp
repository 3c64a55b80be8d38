#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

class BenchSweep : public CliTest {
 protected:
  // `bench` of a Relu of 64 rows with these options.
  Ended sweep(std::vector<std::string> options) const {
    options.insert(options.begin(), {"bench", symbolic_model(), "--dim", "N=64", "--runs", "20"});
    return run(options);
  }
  json report(std::vector<std::string> options) const {
    options.push_back("--json");
    const Ended ended = sweep(options);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(ended.out);
  }
  std::string error(const std::vector<std::string>& options) const {
    const Ended ended = sweep(options);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  }
  std::string svg(const std::string& name) const {
    const std::string parse = "python3 -c \"import sys, xml.dom.minidom as m; m.parse(sys.argv[1])\" '" + name + "'";
    EXPECT_EQ(std::system(parse.c_str()), 0) << name << " is not XML";
    return read_file(name);
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST_F(BenchSweep, MeasuresEveryCombination) {
  const json all = report({"--sweep", "THREADS=1,2", "--sweep", "min-chunk-size=64,512,4096"});
  ASSERT_EQ(all["sweep"].size(), 6u);
  double least = 1e300;
  for (size_t i = 0; i < 6; i++) {
    const json& point = all["sweep"][i];
    EXPECT_EQ(point["settings"]["THREADS"], i < 3 ? "1" : "2");
    EXPECT_EQ(point["threads"], i < 3 ? 1 : 2);
    EXPECT_EQ(point["settings"]["MIN_CHUNK_SIZE"], std::vector<std::string>({"64", "512", "4096"})[i % 3]);
    EXPECT_EQ(point["runs"], 20);
    EXPECT_EQ(point["batch"], 64);
    EXPECT_EQ(point["cold"], i == 0) << "these settings are about runs: one compilation is enough";
    least = std::min(least, point["median_ms"].get<double>());
  }
  EXPECT_EQ(all["sweep"][all["best"].get<size_t>()]["median_ms"], least);
}

TEST_F(BenchSweep, CompilesForSettingsOfTheCompiler) {
  ModelMaker maker;
  maker.input("x", {"64"}).output("y").node("Exp", {"x"}, {"y"});
  const std::string model = write("exp.onnx", maker);
  for (const bool cold : {false, true}) {
    std::vector<std::string> command{"bench", model, "--runs", "5", "--sweep", "USE_FAST_MATH=0,1", "--json"};
    if (cold) command.push_back("--cold");
    const Ended ended = run(command);
    ASSERT_EQ(ended.status, 0) << ended.err;
    for (const json& point : json::parse(ended.out)["sweep"]) EXPECT_EQ(point["cold"], true);
  }
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

TEST_F(BenchSweep, SemicolonsSeparateListsWithCommas) {
  const json all = report({"--sweep", "MAX_AUTOTUNE_GEMM_BACKENDS=CPP;XSMM,CPP"});
  ASSERT_EQ(all["sweep"].size(), 2u);
  EXPECT_EQ(all["sweep"][1]["settings"]["MAX_AUTOTUNE_GEMM_BACKENDS"], "XSMM,CPP");
}

TEST_F(BenchSweep, TheTableMarksTheBest) {
  const Ended ended = sweep({"--sweep", "THREADS=1,2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const char* part : {"THREADS  median ms", "\n*  ", "* best by median: THREADS="})
    EXPECT_TRUE(contains(ended.out, part)) << part << " in:\n" << ended.out;
  const Ended clients = sweep({"--sweep", "NUM_STREAMS=1,2", "--clients", "2", "--threads", "1"});
  EXPECT_TRUE(contains(clients.out, "* best by throughput: NUM_STREAMS=")) << clients.out << clients.err;
}

TEST_F(BenchSweep, Pictures) {
  const std::string name = "a<b>&\"'c.onnx";
  std::filesystem::copy(symbolic_model(), path(name));
  const auto plot = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"bench", path(name), "--dim", "N=64", "--runs", "10", "--plot", path("p.svg")});
    const Ended ended = run(options);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return svg(path("p.svg"));
  };
  const std::string two = plot({"--sweep", "THREADS=1,2", "--sweep", "MIN_CHUNK_SIZE=64,512"});
  for (const char* part : {">THREADS<", ">MIN_CHUNK_SIZE=64<", ">MIN_CHUNK_SIZE=512<", "median of a run in ms",
                           "a&lt;b&gt;&amp;&quot;", ">best "})
    EXPECT_TRUE(contains(two, part)) << part << " in:\n" << two;
  EXPECT_FALSE(contains(two, "a<b>"));
  EXPECT_TRUE(contains(plot({"--sweep", "THREADS=1", "--clients", "2"}), "runs per second"));
}

TEST_F(BenchSweep, MistakesAreNamed) {
  EXPECT_TRUE(contains(error({"--sweep", "TREADS=1,2"}), "unknown setting \"TREADS\""));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1,many"}), "many"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS"}), "expected NAME=VALUE,VALUE"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS="}), "there is no value"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1,,2"}), "a value is missing"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1,1"}), "the value 1 is given twice"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1,01"}), "the value 01 is given twice"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1,2", "--sweep", "threads=3"}), "THREADS is swept twice"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1,2", "--threads", "1"}), "give one of them"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1,2", "--set", "THREADS=1"}), "give one of them"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1", "--against", "onednn"}), "--against"));
  EXPECT_TRUE(contains(error({"--plot", path("p.svg")}), "--sweep"));
  EXPECT_TRUE(contains(error({"--sweep", "THREADS=1", "--plot", path("none/p.svg")}), "none"));
  std::string many = "MIN_CHUNK_SIZE=1";
  for (int i = 2; i < 300; i++) many += "," + std::to_string(i);
  EXPECT_TRUE(contains(error({"--sweep", many}), "more than 256 combinations"));
  EXPECT_TRUE(contains(error({"--sweep", "MAX_MEMORY=1GiB,1"}), "with MAX_MEMORY=1: "));
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

}  // namespace
}  // namespace cppgen
