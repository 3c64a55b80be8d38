// Tests of the report of `profile` on each step: its threads, its label, and what oneDNN takes for the same nodes.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cppgen/support/file_io.h"
#include "runtime/package/package.h"
#include "runtime/values/npy.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

class Profile : public CliTest {
 protected:
  // Two products, each followed by what both sides compute in the same step.
  std::string products(const std::string& rows = "256") const {
    ModelMaker maker;
    maker.input("x", {rows, "128"}).output("y");
    for (const auto& [name, from, to] : {std::tuple("w", 128, 192), std::tuple("v", 192, 64)})
      maker.initializer(name, {from, to}, onnx::TensorProto::FLOAT)
          .set_raw_data(std::string(size_t(from * to) * sizeof(float), '\0'));
    maker.node("MatMul", {"x", "w"}, {"p"}, "first");
    maker.node("Relu", {"p"}, {"s"}, "between");
    maker.node("MatMul", {"s", "v"}, {"q"}, "second");
    maker.node("Relu", {"q"}, {"y"}, "last");
    return write("products.onnx", maker);
  }

  json profile(std::vector<std::string> more, const std::string& model) const {
    more.insert(more.begin(), {"profile", model, "--json", "--runs", "5"});
    const Ended ended = run(more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(ended.out);
  }
};

TEST_F(Profile, StepsHaveTheTimesOfTheirThreads) {
  const json report = profile({"--threads", "2"}, products());
  std::map<int, double> busy, chunks;  // by thread
  for (const json& step : report["steps"]) {
    double all = 0, most = 0, own_chunks = 0;
    for (const json& thread : step["thread_times"]) {
      busy[thread["thread"]] += thread["busy_ms"].get<double>(),
          chunks[thread["thread"]] += thread["chunks"].get<double>();
      all += thread["busy_ms"].get<double>(), own_chunks += thread["chunks"].get<double>();
      most = std::max(most, thread["busy_ms"].get<double>());
    }
    EXPECT_GE(step["chunks"], 1);
    EXPECT_DOUBLE_EQ(step["chunks"], own_chunks);
    EXPECT_EQ(step["chunks"].get<double>(), std::round(step["chunks"].get<double>())) << "of one run";
    EXPECT_NEAR(step["imbalance"], most / (all / 2), 1e-9);
  }
  ASSERT_EQ(busy.size(), report["thread_times"].size());
  for (const json& thread : report["thread_times"]) {
    EXPECT_NEAR(thread["busy_ms"], busy[thread["thread"]], 1e-9);
    EXPECT_NEAR(thread["chunks"], chunks[thread["thread"]], 1e-9);
  }
  const std::string text = run({"profile", products(), "--threads", "2", "--runs", "5"}).out;
  EXPECT_NE(text.find("  chunks imbal.         busy us  engine  "), std::string::npos) << text;
  EXPECT_NE(text.find("  kernel (nodes)\n"), std::string::npos) << text;
}

TEST_F(Profile, APackageWithoutCostsHasNoBounds) {
  const std::string made = path("made.package");
  ASSERT_EQ(run({"compile", products(), "--output", made}).status, 0);
  EXPECT_TRUE(profile({}, made)["steps"][0].contains("bound_ms"));
  const rt::Manifest manifest = rt::read_manifest(made);
  std::filesystem::remove(made + "/costs.json");
  rt::write_manifest(made, manifest.isa);
  const Ended ended = run({"profile", made, "--json", "--runs", "1"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.err.find("bounds are not shown, because the package states no costs"), std::string::npos)
      << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_FALSE(report["steps"][0].contains("bound_ms"));
  EXPECT_GT(report["steps"][0]["gflops_per_s"], 0);
}

TEST_F(Profile, LabelsAreThoseOfOpsStamp) {
  environment["CPPGEN_OPS_STAMP"] = "hash", environment["CPPGEN_OPS_PREFIX"] = "mine/";
  const json report = profile({"--trace", path("trace.json")}, products());
  const std::string text = run({"profile", products(), "--runs", "1"}).out;
  const json trace = json::parse(read_file(path("trace.json")));
  std::set<std::string> seen;
  for (const json& event : trace["traceEvents"]) seen.insert(event["name"]);
  for (const json& step : report["steps"]) {
    const std::string label = step["label"], name = step["name"];
    EXPECT_TRUE(label.starts_with("mine/" + name + ":")) << label;
    EXPECT_TRUE(seen.contains(label)) << label;
    EXPECT_FALSE(seen.contains(name)) << name;
    EXPECT_NE(text.find("  " + label + " ("), std::string::npos) << text;
  }
}

TEST_F(Profile, AgainstOneDnnEachStepHasTheTimeOfTheSameNodes) {
  const json report = profile({"--against", "onednn"}, products());
  const json& onednn = report["onednn"];
  EXPECT_GT(onednn["median_ms"].get<double>(), 0);
  EXPECT_EQ(onednn["runs"], 5);
  std::set<size_t> steps;
  for (const json& region : onednn["regions"]) {
    EXPECT_GT(region["ms"].get<double>(), 0);
    for (const json& step : region["steps"]) {
      EXPECT_TRUE(steps.insert(step.get<size_t>()).second) << "in two regions";
      EXPECT_EQ(onednn["regions"][report["steps"][step.get<size_t>()]["onednn_region"].get<size_t>()], region);
    }
  }
  EXPECT_EQ(steps.size(), report["steps"].size());
  EXPECT_GE(onednn["regions"].size(), 2u) << "the products are compared one by one";
  const std::string text = run({"profile", products(), "--against", "onednn", "--runs", "5"}).out;
  EXPECT_NE(text.find("\noneDNN "), std::string::npos) << text;
  EXPECT_NE(text.find("  oneDNN us  engine "), std::string::npos) << text;
  EXPECT_FALSE(profile({}, products()).contains("onednn"));
}

// Equal kernels share one function, but each step has a name of its own, as in explanations.
TEST_F(Profile, NamesAreThoseOfExplanations) {
  ModelMaker maker;
  maker.input("x", {"64", "32"}).output("y");
  std::string last = "x";
  for (const std::string& name : {"a", "b", "c"}) {
    maker.initializer("w" + name, {32, 32}, onnx::TensorProto::FLOAT).set_raw_data(std::string(32 * 32 * 4, '\0'));
    maker.node("MatMul", {last, "w" + name}, {"p" + name});
    maker.node("Tanh", {"p" + name}, {name == "c" ? "y" : name});
    last = name;
  }
  const std::string model = write("layers.onnx", maker);
  const auto names = [](const json& report) {
    std::vector<std::string> list;
    for (const json& step : report["steps"]) list.push_back(step["name"]);
    return list;
  };
  const auto profiled = names(profile({}, model));
  EXPECT_EQ(profiled, names(json::parse(run({"explain", model, "--json"}).out)));
  EXPECT_EQ(std::set<std::string>(profiled.begin(), profiled.end()).size(), profiled.size());
}

// A loop whose trip count is an input runs on the host: its own time excludes that of its kernels.
TEST_F(Profile, StepsOnTheHostHaveTimes) {
  ModelMaker maker;
  maker.input("trips", {}, onnx::TensorProto::INT64).input("x", {"64", "1024"}).output("y");
  auto& attribute = *maker.node("Loop", {"trips", "", "x"}, {"y"}, "rounds").add_attribute();
  attribute.set_name("body"), attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& body = *attribute.mutable_g();
  for (const char* name : {"i", "go", "in"}) body.add_input()->set_name(name);
  ModelMaker::add_node(body, "Exp", {"in"}, {"power"});
  ModelMaker::add_node(body, "Neg", {"power"}, {"out"});
  for (const char* name : {"go", "out"}) body.add_output()->set_name(name);
  rt::Tensor trips(DType::i64, {});
  *trips.as<int64_t>() = 5;
  rt::write_npy(path("trips.npy"), trips.view());
  const std::string model = write("rounds.onnx", maker);
  const json report = profile({"--trace", path("trace.json"), "--input", "trips=" + path("trips.npy")}, model);
  double kernels = 0, host = 0;
  for (const json& step : report["steps"]) {
    (step["engine"] == "host" ? host : kernels) += step["ms"].get<double>();
    if (step["engine"] != "host") continue;
    EXPECT_EQ(step["chunks"], 1);
    EXPECT_EQ(step["name"], "loop");
  }
  EXPECT_GT(host, 0);
  EXPECT_GT(kernels, 0);
  double loop_begin = 0, loop_end = 0;
  int inside = 0;
  const json trace = json::parse(read_file(path("trace.json")));
  for (const json& event : trace["traceEvents"])
    if (event["name"] == "loop") loop_begin = event["ts"], loop_end = loop_begin + event["dur"].get<double>();
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X" && event["cat"] == "loops")
      inside += event["ts"].get<double>() >= loop_begin && event["ts"].get<double>() <= loop_end;
  EXPECT_GE(inside, 5) << "chunks of the kernels of five rounds";
}

TEST_F(Profile, AgainstOneDnnRequiresSizes) {
  const std::string model = products("N");
  rt::write_npy(path("x.npy"), rt::Tensor(DType::f32, {8, 128}).view());
  const Ended open = run({"profile", model, "--input", "x=" + path("x.npy"), "--against", "onednn", "--runs", "1"});
  EXPECT_EQ(open.status, 2);
  EXPECT_NE(open.err.find("--against onednn requires sizes for all dimensions"), std::string::npos) << open.err;
  EXPECT_NE(open.err.find("--dim NAME=N"), std::string::npos) << open.err;
  EXPECT_EQ(run({"profile", model, "--dim", "N=8", "--against", "onednn", "--runs", "1"}).status, 0);
  ASSERT_EQ(run({"compile", model, "-o", path("package")}).status, 0);
  const Ended package = run({"profile", path("package"), "--against", "onednn"});
  EXPECT_EQ(package.status, 2);
  EXPECT_NE(package.err.find("--against needs the .onnx file"), std::string::npos) << package.err;
  EXPECT_EQ(run({"profile", model, "--against", "onnxruntime"}).status, 2);
}

}  // namespace
}  // namespace cppgen
