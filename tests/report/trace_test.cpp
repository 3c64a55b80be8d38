// `profile --trace`: the format of Chrome's traces, and what the lanes contain.
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

constexpr double kRoundingUs = 1e-3;

class ProfileTrace : public CliTest {
 protected:
  std::string products() const {
    ModelMaker maker;
    maker.input("x", {"256", "128"}).input("w", {"128", "192"}).input("v", {"192", "64"}).output("y");
    maker.node("MatMul", {"x", "w"}, {"p"}, "first");
    maker.node("Softmax", {"p"}, {"s"}, "between");
    maker.node("MatMul", {"s", "v"}, {"y"}, "last");
    return write("products.onnx", maker);
  }

  json trace_of(const std::string& model) const {
    const Ended ended = run({"profile", model, "--threads", "2", "--runs", "2", "--trace", path("trace.json")});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(read_file(path("trace.json")));
  }
};

using Lanes = std::map<std::string, std::vector<json>>;

// The events of each lane by its name, checked against the format: phases, fields and types, times that do not
// decrease within a lane, and events that follow each other or contain each other.
Lanes checked_lanes(const json& trace) {
  std::map<int, std::string> names;
  Lanes lanes;
  for (const json& event : trace.at("traceEvents")) {
    EXPECT_TRUE(event.at("name").is_string());
    EXPECT_EQ(event.at("pid"), 1);
    const int lane = event.at("tid");
    if (event.at("ph") == "M") {
      if (event["name"] == "thread_name") names[lane] = event.at("args").at("name");
      continue;
    }
    EXPECT_EQ(event["ph"], "X");
    EXPECT_TRUE(event.at("cat").is_string());
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_GE(event.at("dur").get<double>(), 0);
    EXPECT_TRUE(names.contains(lane));
    lanes[names[lane]].push_back(event);
  }
  for (const auto& [name, events] : lanes) {
    std::vector<double> ends;  // of the events around the next one
    double last = 0;
    for (const json& event : events) {
      const double begin = event["ts"], end = begin + event["dur"].get<double>();
      EXPECT_GE(begin, last) << name;
      while (!ends.empty() && ends.back() <= begin + kRoundingUs) ends.pop_back();
      EXPECT_TRUE(ends.empty() || end <= ends.back() + kRoundingUs) << name << event;
      ends.push_back(end), last = begin;
    }
  }
  return lanes;
}

double end_of(const std::vector<json>& events) {
  double end = 0;
  for (const json& event : events) end = std::max(end, event["ts"].get<double>() + event["dur"].get<double>());
  return end;
}

TEST_F(ProfileTrace, HasLanesForTheCompilationTheLoadTheRunsAndEachThread) {
  const json trace = trace_of(products());
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
  const Lanes lanes = checked_lanes(trace);
  std::set<std::string> stages;
  for (const json& event : lanes.at("compile")) stages.insert(event["name"]);
  for (const char* stage : {"read", "passes", "infer_types", "lower", "schedule", "plan_layouts", "codegen", "compile"})
    EXPECT_TRUE(stages.contains(stage)) << stage;
  EXPECT_FALSE(lanes.at("compiler 1").empty());
  ASSERT_EQ(lanes.at("load").size(), 1u);
  EXPECT_LE(end_of(lanes.at("compile")), lanes.at("load")[0]["ts"].get<double>());
  const std::vector<json>& runs = lanes.at("run");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_LE(end_of(lanes.at("load")), runs[0]["ts"].get<double>());
  size_t threads = 0;
  std::set<std::string> nodes;
  for (const auto& [name, events] : lanes) {
    if (!name.starts_with("thread ")) continue;
    threads++;
    for (const json& chunk : events) {
      nodes.insert(chunk["args"]["nodes"].begin(), chunk["args"]["nodes"].end());
      const double begin = chunk["ts"], end = begin + chunk["dur"].get<double>();
      EXPECT_TRUE(std::any_of(runs.begin(), runs.end(), [&](const json& run) {
        const double from = run["ts"], to = from + run["dur"].get<double>();
        return from <= begin + kRoundingUs && end <= to + kRoundingUs;
      })) << chunk;
    }
  }
  EXPECT_TRUE(threads == 1 || threads == 2) << threads;
  EXPECT_EQ(nodes, (std::set<std::string>{"first", "between", "last"}));
}

TEST_F(ProfileTrace, OfAModelFromTheCacheAndOfAPackage) {
  const std::string model = products();
  ASSERT_EQ(run({"run", model}).status, 0);
  const Lanes cached = checked_lanes(trace_of(model));
  EXPECT_EQ(cached.at("compile").at(0)["name"], "cache");
  EXPECT_FALSE(cached.contains("compiler 1"));
  ASSERT_EQ(run({"compile", model, "-o", path("package")}).status, 0);
  const Lanes package = checked_lanes(trace_of(path("package")));
  EXPECT_FALSE(package.contains("compile"));
  EXPECT_EQ(package.at("run").size(), 3u);
}

// Steps of plans that run between host steps keep their nodes.
TEST_F(ProfileTrace, OfAModelOfSeveralPlans) {
  ModelMaker maker;
  maker.input("x", {"32", "32"}).output("y").output("n");
  maker.node("Exp", {"x"}, {"e"}, "before");
  maker.node("NonZero", {"e"}, {"n"}, "on_host");
  maker.node("Shape", {"n"}, {"s"}, "shape");
  maker.node("Cast", {"s"}, {"c"}, "cast").add_attribute()->CopyFrom([] {
    onnx::AttributeProto to;
    to.set_name("to"), to.set_type(onnx::AttributeProto::INT), to.set_i(onnx::TensorProto::FLOAT);
    return to;
  }());
  maker.node("ReduceMax", {"c"}, {"m"}, "greatest");
  maker.node("Mul", {"e", "m"}, {"y"}, "after");
  std::set<std::string> nodes;
  for (const auto& [name, events] : checked_lanes(trace_of(write("parts.onnx", maker))))
    if (name.starts_with("thread "))
      for (const json& chunk : events) nodes.insert(chunk["args"]["nodes"].begin(), chunk["args"]["nodes"].end());
  for (const char* node : {"before", "after"}) EXPECT_TRUE(nodes.contains(node)) << json(nodes);
}

TEST_F(ProfileTrace, TheReportHasTheTimesOfThreadsAndCounters) {
  const std::string model = products();
  const json report = json::parse(run({"profile", model, "--threads", "2", "--runs", "5", "--json"}).out);
  EXPECT_GE(report["imbalance"].get<double>(), 1);
  EXPECT_LE(report["imbalance"].get<double>(), 2 + 1e-9);
  double busy = 0, chunks = 0;
  for (const json& thread : report["thread_times"]) {
    EXPECT_GT(thread["busy_ms"].get<double>(), 0);
    EXPECT_LE(thread["share"].get<double>(), 1);
    busy += thread["busy_ms"].get<double>(), chunks += thread["chunks"].get<double>();
  }
  EXPECT_GE(busy, report["steps_ms"].get<double>() / 2);  // between its chunks, a step waits for processors
  EXPECT_GE(chunks, 3);
  if (report["counters"].is_null())
    EXPECT_NE(report["no_counters"].get<std::string>().find("perf_event_open: "), std::string::npos);
  else
    EXPECT_GT(report["counters"].begin()->get<double>(), 0);
  const std::string text = run({"profile", model, "--runs", "1"}).out;
  EXPECT_NE(text.find("\nimbalance "), std::string::npos) << text;
  EXPECT_NE(text.find("\ncounters of "), std::string::npos) << text;
}

TEST_F(ProfileTrace, SaysWhyItCannotBeWritten) {
  const Ended ended =
      run({"profile", symbolic_model(), "--dim", "N=4", "--runs", "1", "--trace", path("missing/trace.json")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("--trace: " + path("missing/trace.json") + ": cannot be written"), std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace cppgen
