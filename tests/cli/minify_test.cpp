// The program finds what is wrong with a model, and the few nodes and the pass that show it.
#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "runtime/values/npy.h"
#include "tests/cli/program.h"
#include "tests/import/function_maker.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Minify : public CliTest {
 protected:
  // A chain that alternates between functions and products; one node is `op`.
  std::string chain(const std::string& op, int count = 24, const std::string& rows = "4", int at = 15) const {
    ModelMaker m;
    m.input("v0", {rows, "8"}).output("v" + std::to_string(count));
    auto& w = m.initializer("w", {8, 8}, onnx::TensorProto::FLOAT);
    for (int i = 0; i < 64; i++) w.add_float_data(float(i % 7 - 3) / 8);
    for (int i = 0; i < count; i++) {
      const std::string from = "v" + std::to_string(i), to = "v" + std::to_string(i + 1);
      if (i == at)
        m.node(op, {from}, {to}, "culprit");
      else if (i % 3)
        m.node("Sin", {from}, {to});
      else
        m.node("MatMul", {from, "w"}, {to});
    }
    return write("chain.onnx", m);
  }

  // A compiler that does something with each source $f.
  void use_compiler(const std::string& action) {
    const std::string compiler = folder.write(
        "compiler", "#!/bin/sh\nfor f in \"$@\"; do case $f in *.cpp) " + action + ";; esac; done\nexec g++ \"$@\"\n");
    fs::permissions(compiler, fs::perms::owner_all);
    environment["CPPGEN_CXX"] = compiler;
  }

  json minify(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "minify");
    arguments.insert(arguments.end(), {"-o", path("small"), "--json"});
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(ended.out);
  }
};

TEST_F(Minify, WrongResultsAreShrunkToTheirNode) {
  environment["CPPGEN_INJECT_RELU_BUG"] = "accuracy";
  const json report = minify({chain("Relu")});
  EXPECT_EQ(report["fault"], "differs");
  EXPECT_EQ(report["nodes"], json({"Relu \"culprit\""}));
  EXPECT_EQ(report["nodes_before"], 24);
  EXPECT_EQ(report["pass"], "");
  EXPECT_TRUE(contains(report["commands"][0], " --set INJECT_RELU_BUG=accuracy")) << report;
  EXPECT_EQ(run({"verify", path("small/model.onnx"), path("small")}).status, 1);
  environment.erase("CPPGEN_INJECT_RELU_BUG");
  EXPECT_EQ(run({"verify", path("small/model.onnx"), path("small")}).status, 0) << "without the bug";
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

TEST_F(Minify, SourcesThatDoNotCompileAreShrunk) {
  environment["CPPGEN_INJECT_LOG1P_BUG"] = "compile_error";
  const json report = minify({chain("Softplus", 24, "N"), "--dim", "N=3"});
  EXPECT_EQ(report["fault"], "compile");
  EXPECT_EQ(report["nodes"], json({"Softplus \"culprit\""}));
}

TEST_F(Minify, RunsThatFailAreShrunk) {
  environment["CPPGEN_INJECT_RELU_BUG"] = "runtime_error";
  const json report = minify({chain("Relu")});
  EXPECT_EQ(report["fault"], "crash");
  EXPECT_EQ(report["nodes"], json({"Relu \"culprit\""}));
  EXPECT_TRUE(contains(report["description"], "fails because of INJECT_RELU_BUG")) << report;
}

// A compiler that refuses kernels of a product and a function.
TEST_F(Minify, ThePassThatAFaultNeedsIsNamed) {
  use_compiler("grep -q 'vec::exp(rt, sum' $f && exit 1");
  const json report = minify({chain("Exp", 24, "4", 16), "--text", path("case.program")});
  EXPECT_EQ(report["fault"], "compile");
  EXPECT_EQ(report["nodes"].size(), 2u) << report;
  EXPECT_EQ(report["pass"], "fuse_epilogues");
  EXPECT_EQ(report["pass_is_needed"], true);
  const json& text = report["text"];
  EXPECT_EQ(text["pass"], "fuse_epilogues");
  EXPECT_EQ(text["error"], "");
  EXPECT_TRUE(
      text["command"].get<std::string>().starts_with("cppgen opt " + path("case.program") + " --pass fuse_epilogues"))
      << text;
  const Ended before = run({"opt", path("case.program")}),
              after = run({"opt", path("case.program"), "--pass", "fuse_epilogues"});
  EXPECT_EQ(before.out, read_file(path("case.program"))) << before.err;
  EXPECT_TRUE(contains(before.out, "exp(b")) << before.out;
  EXPECT_TRUE(contains(after.out, "exp(acc0)")) << after.out << after.err;
}

TEST_F(Minify, TextsWithoutAPassAreTheImportedGraph) {
  environment["CPPGEN_INJECT_RELU_BUG"] = "accuracy";
  const Ended ended = run({"minify", chain("Relu", 6, "4", 3), "-o", path("small"), "--text", path("case.graph")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, path("case.graph") + ": the imported graph, over which no pass fails\n  cppgen opt "))
      << ended.out;
  EXPECT_TRUE(contains(read_file(path("case.graph")), "= Relu(")) << read_file(path("case.graph"));
  EXPECT_EQ(run({"minify", path("chain.onnx"), "--text", path("no/case.graph")}).status, 2);
  EXPECT_EQ(run({"minify", path("chain.onnx"), "--text", path("case.onnx")}).status, 2);
}

// A compiler whose exp is an illegal instruction.
TEST_F(Minify, CrashesAreSurvived) {
  use_compiler("sed -i 's/vec::exp(rt, [a-z0-9]*)/(__builtin_trap(), &)/' $f");
  const json report = minify({chain("Exp")});
  EXPECT_EQ(report["fault"], "crash");
  EXPECT_EQ(report["nodes"], json({"Exp \"culprit\""}));
  EXPECT_TRUE(contains(report["description"], "was killed by signal 4")) << report;
}

// A compiler whose exp takes thousands of times longer than any other kernel would.
TEST_F(Minify, SlowKernelsAreShrunk) {
  use_compiler(
      "sed -i 's/vec::exp(rt, [a-z0-9]*)/([] { for (volatile int i = 0; i < 3000000; i = i + 1); }(), &)/' $f");
  const json report = minify({chain("Exp"), "--predicate", "slow"});
  EXPECT_EQ(report["fault"], "slow");
  const json& nodes = report["nodes"];  // a trial on a busy machine may end the work early
  EXPECT_NE(std::find(nodes.begin(), nodes.end(), "Exp \"culprit\""), nodes.end()) << report;
  EXPECT_LT(nodes.size(), report["nodes_before"].get<size_t>()) << report;
  EXPECT_TRUE(contains(report["description"], " times its bound")) << report;
  EXPECT_TRUE(contains(report["commands"][0], "cppgen profile ")) << report;
}

// Few trials compile many kernels: it takes half a minute at most.
TEST_F(Minify, LargeModelsAreShrunkToThreeNodes) {
  environment["CPPGEN_INJECT_LOG1P_BUG"] = "accuracy";
  const json report = minify({chain("Softplus", 400, "16", 237)});
  EXPECT_EQ(report["fault"], "differs");
  EXPECT_EQ(report["nodes_before"], 400);
  EXPECT_LE(report["nodes"].size(), 3u) << report;
  EXPECT_EQ(report["nodes"][0], "Softplus \"culprit\"") << report;
  EXPECT_LE(report["trials"], 40);
}

// Exporters write modules so: each is a function, which calls those of its parts; names and attributes are those of
// the call.
TEST_F(Minify, FunctionsAreShrunkToNodes) {
  ModelMaker m;
  m.model.add_opset_import()->set_domain("f");
  m.model.mutable_opset_import(1)->set_version(1);
  m.input("x", {"4", "8"}).output("y");
  FunctionMaker inner(m, "Inner", {"a"}, {"b"});
  inner.proto.add_attribute("slope");
  inner.node("Sin", {"a"}, {"t"});
  refer(inner.node("LeakyRelu", {"t"}, {"u"}), "alpha", "slope", onnx::AttributeProto::FLOAT);
  inner.node("Relu", {"u"}, {"b"}, "culprit");
  FunctionMaker outer(m, "Outer", {"a"}, {"t"});
  auto& slope = *outer.call("Inner", {"a"}, {"u"}, "inner").add_attribute();
  slope.set_name("slope");
  slope.set_type(onnx::AttributeProto::FLOAT);
  slope.set_f(0.5f);
  outer.node("Exp", {"u"}, {"t"});
  call_function(m, "Outer", {"x"}, {"t"}, "outer");
  m.node("Cos", {"t"}, {"y"});
  environment["CPPGEN_INJECT_RELU_BUG"] = "accuracy";
  const json report = minify({write("functions.onnx", m)});
  EXPECT_EQ(report["nodes"], json({"Relu \"outer/inner/culprit\""}));
  EXPECT_EQ(report["nodes_before"], 5);
}

// A branch in an iteration of a loop, whose data come from around both.
TEST_F(Minify, BodiesAreOpened) {
  ModelMaker m;
  m.input("n", {}, onnx::TensorProto::INT64).input("c", {}, onnx::TensorProto::BOOL).input("x", {"4", "8"});
  m.output("y").output("z");
  m.node("Sin", {"x"}, {"s"});
  auto& loop = m.node("Loop", {"n", "", "s"}, {"l", "z"}, "loop");
  auto& body = ModelMaker::add_body(loop, "body", "going");
  for (const char* name : {"i", "going_in", "state"}) body.add_input()->set_name(name);
  for (const char* name : {"next", "row"}) body.add_output()->set_name(name);
  ModelMaker::add_node(body, "Identity", {"going_in"}, {"going"});
  ModelMaker::add_node(body, "Add", {"state", "x"}, {"sum"});
  auto& choice = ModelMaker::add_node(body, "If", {"c"}, {"next"}, "choice");
  auto& right = ModelMaker::add_body(choice, "then_branch", "r");
  auto& other = ModelMaker::add_body(choice, "else_branch", "r");
  for (auto* branch : {&right, &other}) {
    ModelMaker::add_node(*branch, "Cos", {"sum"}, {"t"});
    ModelMaker::add_node(*branch, branch == &right ? "Softplus" : "Tanh", {"t"}, {"r"}, "culprit");
  }
  ModelMaker::add_node(body, "Exp", {"next"}, {"row"});
  m.node("Cos", {"l"}, {"y"});
  environment["CPPGEN_INJECT_LOG1P_BUG"] = "accuracy";
  rt::Tensor n(DType::i64, {}), c(DType::boolean, {});
  *n.as<int64_t>() = 3, *c.as<bool>() = true;
  rt::write_npy(path("n.npy"), n.view()), rt::write_npy(path("c.npy"), c.view());
  const json report =
      minify({write("bodies.onnx", m), "--input", "c=" + path("c.npy"), "--input", "n=" + path("n.npy")});
  EXPECT_EQ(report["nodes"], json({"Softplus \"culprit\""})) << report;
  EXPECT_EQ(report["nodes_before"], 3);
  environment.erase("CPPGEN_INJECT_LOG1P_BUG");
  EXPECT_EQ(run({"verify", path("small/model.onnx"), path("small")}).status, 0) << "without the bug";
}

// The third row of a table of two.
TEST_F(Minify, ValuesAreRandomIfTheInterpreterRefusesTheModel) {
  ModelMaker m;
  m.input("x", {"2", "3"}).input("ids", {"4"}, onnx::TensorProto::INT64).output("y").output("z");
  m.initializer("two", {}, onnx::TensorProto::INT64).add_int64_data(2);
  m.node("Sin", {"x"}, {"s"});
  m.node("Relu", {"s"}, {"r"}, "culprit");
  m.node("Add", {"ids", "two"}, {"beyond"});
  m.node("Gather", {"r", "beyond"}, {"y"});
  m.node("Exp", {"r"}, {"z"});
  environment["CPPGEN_INJECT_RELU_BUG"] = "compile_error";
  const json report = minify({write("beyond.onnx", m)});
  EXPECT_EQ(report["fault"], "compile");
  EXPECT_EQ(report["nodes"], json({"Relu \"culprit\""}));
  EXPECT_TRUE(contains(report["commands"][0], "cppgen run ")) << report;
}

TEST_F(Minify, ModelsWithoutAFaultAreLeftAlone) {
  Ended ended = run({"minify", chain("Relu", 6, "4", 3), "-o", path("small")});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_EQ(ended.out, "no fault was found: there is nothing to shrink\n");
  EXPECT_FALSE(fs::exists(path("small")));
  EXPECT_EQ(json::parse(run({"minify", chain("Relu", 6, "4", 3), "-o", path("small"), "--json"}).out)["fault"],
            nullptr);

  environment["CPPGEN_INJECT_RELU_BUG"] = "accuracy";
  ended = run({"minify", chain("Relu", 6, "4", 3), "-o", path("small"), "--predicate", "crash"});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_TRUE(contains(ended.out, "only a fault that --predicate excludes was found (differs)")) << ended.out;
}

// A trial that lacks time, or that somebody kills, proves nothing about a healthy model.
TEST_F(Minify, TrialsThatProveNothingAreNoFaults) {
  const std::string model = chain("Relu", 6, "4", 3);
  const auto expect_unknown = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> command{"minify", model, "-o", path("small")};
    command.insert(command.end(), more.begin(), more.end());
    const Ended ended = run(command);
    EXPECT_EQ(ended.status, 2) << why << ended.out;
    EXPECT_TRUE(contains(ended.err, "has a fault is not known")) << ended.err;
    EXPECT_TRUE(contains(ended.err, why)) << ended.err;
    EXPECT_FALSE(fs::exists(path("small")));
  };
  environment["CPPGEN_VEC_ISA_OK"] = "1";
  use_compiler("sleep 600");
  expect_unknown({"--seconds", "2"}, "the compilation did not end within");
  for (const std::string end : {"kill -KILL $$", "kill -TERM $$", "exit 137",
                                "echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1",
                                "echo 'cc1plus: out of memory allocating 65536 bytes' >&2; exit 1",
                                "echo 'kernel.s: No space left on device' >&2; exit 1"}) {
    use_compiler(end);
    expect_unknown({}, "the compiler of kernel unit");
  }
  // Somebody kills only the first compiler: the trial is repeated.
  use_compiler("[ -e " + path("killed") + " ] || { touch " + path("killed") + "; kill -KILL $$; }");
  const Ended ended = run({"minify", model, "-o", path("small")});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_EQ(ended.out, "no fault was found: there is nothing to shrink\n");
}

// The outputs agree in time; there is none left to compare all values.
TEST_F(Minify, TheSecondTrialMayLackTimeAsWell) {
  environment["CPPGEN_VEC_ISA_OK"] = "1";
  use_compiler("echo >> " + path("starts") + "; [ $(wc -l < " + path("starts") + ") -gt 1 ] && sleep 600");
  environment["CPPGEN_COMPILE_THREADS"] = "1";
  const Ended ended = run({"minify", chain("Relu", 2, "4", 1), "-o", path("small"), "--seconds", "20"});
  EXPECT_EQ(ended.status, 2) << ended.out;
  EXPECT_TRUE(contains(ended.err, "is not known")) << ended.err;
  EXPECT_FALSE(fs::exists(path("small")));
}

TEST_F(Minify, OnlyItsOwnFoldersAreReplaced) {
  folder.write("small/precious", "data");
  const Ended ended = run({"minify", chain("Relu", 6, "4", 3), "-o", path("small")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_TRUE(contains(ended.err, "exists and is not a folder that `minify` wrote")) << ended.err;
  EXPECT_EQ(run({"minify", chain("Relu", 6, "4", 3), "-o", path("new"), "--seconds", "0"}).status, 2);
  EXPECT_EQ(run({"minify", chain("Relu", 6, "4", 3), "-o", path("new"), "--predicate", "odd"}).status, 2);
}

TEST_F(Minify, AnInterruptionLeavesTheSmallestModelSoFar) {
  environment["CPPGEN_INJECT_RELU_BUG"] = "accuracy";
  const Ended ended = run_and_signal({"minify", chain("Relu", 60), "-o", path("small")}, SIGINT, path("small/io.json"));
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_EQ(run({"verify", path("small/model.onnx"), path("small")}).status, 1);
  for (const auto& entry : fs::directory_iterator(path(".")))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".cppgen-minify")) << entry.path();
}

}  // namespace
}  // namespace cppgen
