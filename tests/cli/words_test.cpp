// Mistakes of new users, and the answers that lead on.
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "runtime/base/bug_reports.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

class Words : public CliTest {
 protected:
  std::string error(const std::vector<std::string>& arguments) {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  }
  std::string fixed_model() const {
    ModelMaker maker;
    maker.input("in_0", {"1", "3"}).output("y").node("Relu", {"in_0"}, {"y"});
    return write("fixed.onnx", maker);
  }
};

TEST_F(Words, MisspeltOptionsActionsAndWordsAreGuessed) {
  EXPECT_EQ(error({"run", "--helpp"}),
            "cppgen: there is no option --helpp; did you mean --help?\nSee `cppgen run --help`.\n");
  EXPECT_EQ(error({"run", "--ouptut", "results", "m.onnx", "--jsno"}),
            "cppgen: there is no option --ouptut; did you mean --output?\nSee `cppgen run --help`.\n");
  EXPECT_EQ(error({"run", "m.onnx", "-o", "results"}),
            "cppgen: there is no option -o; did you mean --output?\nSee `cppgen run --help`.\n");
  EXPECT_EQ(error({"--jsno"}), "cppgen: there is no option --jsno\nSee `cppgen --help`.\n");
  EXPECT_EQ(
      error({"cache", "claer"}),
      "cppgen: ACTION: 'claer' is not allowed (allowed: list, stats, clear, path); did you mean clear?\nSee `cppgen "
      "cache --help`.\n");
  EXPECT_NE(error({"bench", "m.onnx", "--against", "onednnn"}).find("did you mean onednn?"), std::string::npos);
  EXPECT_NE(error({"minify", "m.onnx", "--predicate", "difers"}).find("did you mean differs?"), std::string::npos);
  EXPECT_NE(error({"help", "comiple"}).find("did you mean `cppgen compile`?"), std::string::npos);
}

TEST_F(Words, ConfigShowsSettingsByName) {
  const Ended one = run({"config", "THREADS"});
  EXPECT_EQ(one.status, 0);
  EXPECT_TRUE(one.out.starts_with("THREADS=")) << one.out;
  EXPECT_EQ(one.out.find("\nAFFINITY="), std::string::npos);
  const json two = json::parse(run({"config", "cppgen_affinity", "min-chunk-size", "--json"}).out);
  ASSERT_EQ(two["settings"].size(), 2u);
  EXPECT_EQ(two["settings"][0]["name"], "MIN_CHUNK_SIZE") << "in the order of the table";
  EXPECT_EQ(error({"config", "TREADS"}), "cppgen: unknown setting \"TREADS\"; the nearest known name is THREADS\n");
  EXPECT_NE(error({"config", "DYNAMIC_THREADS"}).find("there is no setting DYNAMIC_THREADS: kernels never depend"),
            std::string::npos);
}

TEST_F(Words, FixedDimensionsAreFreedByAnOption) {
  const std::string model = fixed_model();
  EXPECT_NE(error({"run", model, "--dim", "batch=8"})
                .find("the model has no dimension of this name; all of its dimensions are fixed; --dim in_0.0=batch "
                      "makes a fixed dimension free (1 there)"),
            std::string::npos);
  EXPECT_NE(error({"run", model, "--dim", "in_0.0=8"}).find("--dim in_0.0=NAME makes it free"), std::string::npos);
  EXPECT_EQ(run({"check", model, "--dim", "in_0.0=batch", "--dim", "batch=8"}).status, 0) << "the cure";
  EXPECT_NE(error({"run", symbolic_model(), "--dim", "n=8"}).find("did you mean N?"), std::string::npos);
}

// With JSON, too, the answer is complete.
TEST_F(Words, WhatCannotBeCompiledHasAnExitStatusOfItsOwn) {
  ModelMaker maker;
  maker.input("x", {"8"}).output("y").node("Frobnicate", {"x"}, {"y"}, "mine");
  maker.graph.mutable_node(0)->set_domain("com.mine");
  maker.model.add_opset_import()->set_domain("com.mine");
  maker.model.mutable_opset_import(1)->set_version(1);
  const std::string custom = write("custom.onnx", maker);
  Ended ended = run({"check", custom});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.out.find("cannot be compiled"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("CUSTOM_OPS can describe it (docs/custom_operators.md)"), std::string::npos) << ended.out;
  ModelMaker shapes;
  shapes.input("x", {"8"}).input("w", {"3"}).output("y").node("Add", {"x", "w"}, {"y"}, "sum");
  ended = run({"check", write("shapes.onnx", shapes), "--json"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(json::parse(ended.out)["supported"], false);
  EXPECT_NE(json::parse(ended.out)["reason"].get<std::string>().find("sum"), std::string::npos);
  EXPECT_EQ(run({"check", custom, "--set", "MAX_MEMORY=none"}).status, 2);
  EXPECT_EQ(run({"check", fixed_model()}).status, 0);
}

TEST_F(Words, IoJsonThatNamesAMissingFileSaysWhichIsWhich) {
  const std::string model = symbolic_model();
  std::filesystem::create_directories(path("data"));
  folder.write("data/io.json", R"({"inputs": ["x.npy"], "outputs": ["y.npy"]})");
  EXPECT_EQ(error({"verify", model, path("data")}),
            "cppgen: '" + path("data") + "/io.json' names the file 'x.npy', which does not exist\n");
}

// Names of models are data: nothing in them moves the cursor or turns the text around, in JSON either.
TEST_F(Words, JsonEscapesWhatCouldForgeADisplay) {
  const std::string evil = "n\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xd8\x9c\xc2\x9b\x7f\x1b[2J\nz\xff";
  ModelMaker maker;
  maker.input("x", {"2"}).output("y").node("Exp", {"x"}, {"t" + evil}, "exp" + evil);
  maker.node("Neg", {"t" + evil}, {"y"}, evil);
  maker.graph.set_name(evil);
  const std::string model = write("evil.onnx", maker), package = path("evil.package");
  maker.graph.mutable_node(0)->set_op_type("Frob" + evil);
  const std::string refused = write("refused.onnx", maker);
  ASSERT_EQ(run({"compile", model, "-o", package}).status, 0);
  const std::vector<std::vector<std::string>> commands = {{"run", model},
                                                          {"explain", model},
                                                          {"explain", model, "--all"},
                                                          {"explain", model, "--passes"},
                                                          {"check", model},
                                                          {"check", refused},
                                                          {"inspect", model},
                                                          {"inspect", package},
                                                          {"cache", "list"},
                                                          {"bench", model, "--runs", "1"},
                                                          {"profile", model, "--runs", "1"},
                                                          {"compile", model, "-o", path("other.package")}};
  for (std::vector<std::string> command : commands) {
    command.push_back("--json");
    const Ended ended = run(command);
    for (const char* raw :
         {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8", "\xd8\x9c", "\xc2\x9b", "\x7f", "\x1b", "\xff"})
      for (const std::string& text : {ended.out, ended.err})
        EXPECT_EQ(text.find(raw), std::string::npos) << command[0] << " " << command[1] << ": " << text;
    EXPECT_TRUE(json::accept(ended.out)) << command[0] << ": " << ended.out << ended.err;
  }
  EXPECT_NE(
      run({"explain", model, "--all", "--json"}).out.find("\\u202e\\u2066\\u2028\\u061c\\u009b\\u007f\\u001b[2J\\nz"),
      std::string::npos);
}

// A folder, an empty file, a text, a truncated model, a package.
TEST_F(Words, OtherThingsThanModelsAreNamed) {
  std::filesystem::create_directories(path("folder.onnx"));
  const std::string model = fixed_model(), bytes = read_file(model);
  const std::string package = path("fixed.package");
  ASSERT_EQ(run({"compile", model, "-o", package}).status, 0);
  for (const std::string& file :
       {path("folder.onnx"), folder.write("empty.onnx", ""), folder.write("text.onnx", "hi\n"),
        folder.write("half.onnx", bytes.substr(0, bytes.size() / 2)), path("missing.onnx")})
    for (std::vector<std::string> arguments : {std::vector<std::string>{"run"},
                                               {"compile", "-o", path("out")},
                                               {"check"},
                                               {"inspect"},
                                               {"explain"},
                                               {"bench"},
                                               {"profile"},
                                               {"tune"},
                                               {"minify"}}) {
      arguments.push_back(file);
      EXPECT_NE(error(arguments).find(file), std::string::npos) << arguments[0];
    }
  for (const char* command : {"run", "check", "inspect", "explain"})
    EXPECT_EQ(
        error({command, path("folder.onnx")}),
        "cppgen: '" + path("folder.onnx") + "' is not a package: it has no manifest.json; a model is an .onnx file\n");
  EXPECT_NE(error({"repro", model}).find("is a model, and repro repeats a trace"), std::string::npos);
  EXPECT_NE(error({"seal", model}).find("is a file, and a package is a directory"), std::string::npos);
  EXPECT_EQ(error({"run", model, "--dim"}), "cppgen: --dim lacks its value: --dim NAME=N\nSee `cppgen run --help`.\n");
  for (const char* command : {"compile", "check", "explain", "tune", "minify"})
    EXPECT_NE(error({command, package}).find("is a package"), std::string::npos) << command;
}

TEST_F(Words, SettingsThatWriteFilesSayWhere) {
  const std::string model = fixed_model();
  environment["CPPGEN_TRACE_DIR"] = path("traces");
  const std::map<std::string, std::pair<std::string, std::string>> written = {
      {"TRACE", {"1", path("traces/fixed and ") + path("traces/fixed.tar")}},
      {"GRAPH_DIAGRAM", {"1", path("traces/fixed/before_fusion.svg and after_fusion.svg")}},
      {"ENABLE_ASM_INFO", {"1", path("cache/cppgen/asm/fixed.onnx")}},
      {"SAVE_ARGS", {"1", path("traces/args")}},
      {"BENCHMARK_KERNEL", {"1", path("traces/fixed/kernels")}},
      {"PROFILE_OUTPUT", {path("trace.json"), path("trace.json")}},
      {"OPS_RECORD", {path("shapes.jsonl"), path("shapes.jsonl")}},
      {"DEBUG_LEVEL", {"1", path("cache/cppgen/sources")}},
      {"WORKER_LOG_PATH", {path("logs"), path("logs")}}};
  for (const auto& [setting, value] : written) {
    const std::string line = "cppgen: " + setting + ": written to " + value.second + "\n";
    const Ended ended = run({"run", model, "--set", setting + "=" + value.first, "--set", "RECOMPILE=1"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    const size_t at = ended.err.find(line);
    EXPECT_NE(at, std::string::npos) << line << "in: " << ended.err;
    EXPECT_EQ(ended.err.find(setting + ": written", at + line.size()), std::string::npos) << "once";
    EXPECT_EQ(run({"run", model, "--set", setting + "=" + value.first, "--set", "LOGLEVEL=ERROR"}).err, "") << setting;
  }
}

TEST_F(Words, InfoTellsTheStagesOfACompilation) {
  const Ended first = run({"run", fixed_model(), "--set", "LOGLEVEL=INFO"});
  EXPECT_EQ(first.status, 0);
  size_t at = 0;
  for (const char* stage : {"import", "passes", "schedule", "codegen", "compile", "package"}) {
    at = first.err.find("cppgen: info: " + std::string(stage) + ": ", at);
    ASSERT_NE(at, std::string::npos) << stage << ", in this order: " << first.err;
  }
  const Ended again = run({"run", fixed_model(), "--set", "LOGLEVEL=INFO"});
  EXPECT_NE(again.err.find("cppgen: info: the compiled model is in the cache: "), std::string::npos) << again.err;
  EXPECT_EQ(run({"run", fixed_model()}).err, "") << "by default nothing is told";
}

TEST_F(Words, HelpSaysWhereBugsAreReported) {
  EXPECT_NE(run({"--help"}).out.find("Report bugs to " + bug_report_address()), std::string::npos);
}

}  // namespace
}  // namespace cppgen
