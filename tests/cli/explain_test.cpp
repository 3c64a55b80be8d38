// Tests of the parts that `explain` shows on request: assembly, and changes of passes.
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

class Explain : public CliTest {
 protected:
  // Two kernels of the same code, and a third one.
  std::string three_kernels() const {
    ModelMaker maker;
    maker.input("x", {"64", "48"}).input("w", {"48", "48"}).output("y");
    maker.node("MatMul", {"x", "w"}, {"a"}, "first");
    maker.node("MatMul", {"a", "w"}, {"b"}, "second");
    maker.node("Softmax", {"b"}, {"y"}, "third");
    return write("three.onnx", maker);
  }
};

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) found++;
  return found;
}

TEST_F(Explain, AssemblyOfEachKernel) {
  const std::string model = three_kernels();
  const json steps = json::parse(run({"explain", model, "--asm", "--json"}).out)["steps"];
  ASSERT_GE(steps.size(), 3u);
  for (const json& step : steps) {
    const std::string assembly = step["assembly"];
    EXPECT_TRUE(assembly.ends_with("\tret\n") || assembly.find("\tret\n") != assembly.npos) << assembly;
    EXPECT_EQ(assembly.find("\t.cfi"), assembly.npos) << "directives are left out";
  }
  const std::string all = run({"explain", model, "--asm"}).out, none = run({"explain", model, "--all"}).out;
  EXPECT_GE(count(all, "\tret\n"), steps.size());
  EXPECT_EQ(count(none, "\tret\n"), 0u);
  EXPECT_FALSE(json::parse(run({"explain", model, "--json"}).out)["steps"][0].contains("assembly"));
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

TEST_F(Explain, CombinedMemoryHoldsTheOutputs) {
  const auto memory = [&](const char* pool) {
    const json report =
        json::parse(run({"explain", three_kernels(), "--json", "--set", std::string("MEMORY_POOL=") + pool}).out);
    return std::pair(report["arena_bytes"].get<int64_t>(), report["outputs_bytes"].get<int64_t>());
  };
  const int64_t output = 64 * 48 * 4;
  EXPECT_EQ(memory("outputs").second, output);
  EXPECT_EQ(memory("combined").second, 0);
  EXPECT_GE(memory("combined").first, output);
  const json report =
      json::parse(run({"explain", three_kernels(), "--json", "--memory", "--set", "MEMORY_POOL=combined"}).out);
  EXPECT_EQ(std::count_if(report["temporaries"].begin(), report["temporaries"].end(),
                          [&](const json& it) { return it["name"] == "y"; }),
            1);
}

// Control flow has a name in the model, like all nodes, and its bodies count once.
TEST_F(Explain, NodesOnTheHostAndInsideOfFunctions) {
  ModelMaker maker;
  maker.input("c", {}, onnx::TensorProto::BOOL).input("x", {"8"}).output("y");
  maker.choice("z", "/block/");
  maker.node("NonZero", {"z"}, {"y"}, "positions");
  const std::string model = write("if.onnx", maker);
  const Ended one = run({"explain", model, "--node", "choice"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.out.find("  if (host)\n      nodes: choice\n"), std::string::npos) << one.out;
  EXPECT_EQ(count(run({"explain", model, "--node", "/block"}).out, "nodes: /block/"), 2u);
  EXPECT_EQ(run({"explain", model, "--node", "/blo"}).status, 2);
  EXPECT_NE(run({"explain", model})
                .out.find("\ncontrol     bodies of loops and all branches count as if each ran once: "
                          "choice\n"),
            std::string::npos);
  EXPECT_NE(run({"check", model}).out.find("\non host     if (choice)"), std::string::npos)
      << run({"check", model}).out;
  const json report = json::parse(run({"explain", model, "--json"}).out);
  EXPECT_EQ(report["bodies_count_once"], json({"choice"}));
  EXPECT_EQ(report["nodes"], 4);
  EXPECT_EQ(report["inputs_bytes"], 1 + 8 * 4) << "those of the model, not of a plan";
  const json ran = json::parse(run({"run", model, "--json"}).out);
  EXPECT_GE(ran["step_counts"]["host"], 1) << ran;
  EXPECT_EQ(ran["step_counts"]["library"], 0) << ran;
}

TEST_F(Explain, TimesOfManyThreads) {
  const Ended text = run({"explain", three_kernels(), "--threads", "1,8,64"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("threads predicted ms  speed-up efficiency\n      1 "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\nlost on 64 threads, in ms beyond a 64th of the time on one thread\n"), std::string::npos)
      << text.out;
  const json report = json::parse(
      run({"explain", three_kernels(), "--json", "--threads", "1,64", "--machine", "memory=100"}).out)["scaling"];
  ASSERT_EQ(report["times"].size(), 2u);
  EXPECT_EQ(report["times"][0]["speed_up"], 1.0);
  EXPECT_EQ(report["times"][1]["threads"], 64);
  EXPECT_EQ(report["losses_of_threads"], 64);
  EXPECT_TRUE(std::any_of(report["machine"].begin(), report["machine"].end(), [](const json& n) {
    return n["name"] == "memory" && n["value"] == 100.0 && n["source"] == "given";
  }));
  EXPECT_FALSE(json::parse(run({"explain", three_kernels(), "--json", "--threads", "2"}).out).contains("scaling"));
  EXPECT_EQ(run({"explain", three_kernels(), "--threads", "1,many"}).status, 2);
  const Ended unknown = run({"explain", three_kernels(), "--threads", "1,8", "--machine", "speed=2"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("--machine speed=2: expected NAME=VALUE with one of the names cores, gflops"),
            std::string::npos)
      << unknown.err;
}

// Only chosen kernels are compiled.
TEST_F(Explain, AssemblyOfOneKernel) {
  const std::string one = run({"explain", three_kernels(), "--asm", "--kernel", "0"}).out;
  EXPECT_NE(one.find("\tret\n"), std::string::npos) << one;
  environment["CPPGEN_CXX"] = "/nowhere/g++";
  const Ended without = run({"explain", three_kernels(), "--asm"});
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("/nowhere/g++"), std::string::npos) << without.err;
}

TEST_F(Explain, PassesAndWhatTheyChange) {
  ModelMaker maker;
  maker.input("x", {"64"}).output("y");
  maker.node("Identity", {"x"}, {"i"}, "nothing");
  maker.node("Exp", {"i"}, {"e"}, "the_exp");
  maker.node("Neg", {"e"}, {"y"}, "the_neg");
  const std::string model = write("identity.onnx", maker);
  const json passes = json::parse(run({"explain", model, "--passes", "--json"}).out)["passes"];
  std::set<std::string> changing;
  for (const json& pass : passes) {
    EXPECT_EQ(pass["changed"], pass["diff"] != "");
    if (pass["changed"] == false) continue;
    changing.insert(pass["name"]);
    const std::string diff = pass["diff"], name = pass["name"];
    EXPECT_TRUE(diff.starts_with("--- before " + name + "\n+++ after " + name + "\n@@ -")) << diff;
    EXPECT_EQ(int64_t(count(diff, "\n+")), pass["added"].get<int64_t>() + 1);
    EXPECT_EQ(int64_t(count(diff, "\n-")), pass["removed"].get<int64_t>());
  }
  EXPECT_EQ(passes[0]["name"], "import");
  for (const char* name : {"infer_types", "canonicalize", "inline_single_use"})
    EXPECT_TRUE(changing.contains(name)) << name;
  EXPECT_FALSE(changing.contains("sink_dequantize"));
  const std::string text = run({"explain", model, "--passes"}).out;
  EXPECT_NE(text.find("  sink_dequantize                  no change\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  infer_types                      changed: "), std::string::npos) << text;
  EXPECT_NE(text.find("\n-  %i = Identity("), std::string::npos) << text;
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

}  // namespace
}  // namespace cppgen
