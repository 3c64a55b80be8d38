#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;
class Information : public CliTest {};

TEST_F(Information, Inspect) {
  const Ended text = run({"inspect", gather_model()});
  ASSERT_EQ(text.status, 0) << text.err;
  for (const char* line :
       {"opsets      ai.onnx 17\n", "parameters  6 (24 B)\n", "  ids  int64 [4]\n", "     1  Gather\n"})
    EXPECT_NE(text.out.find(line), std::string::npos) << line << text.out;
  const json report = json::parse(run({"inspect", symbolic_model(), "--json"}).out);
  EXPECT_EQ(report["kind"], "onnx");
  EXPECT_EQ(report["opsets"]["ai.onnx"], 17);
  EXPECT_EQ(report["inputs"][0]["dims"], json({"N", "3"}));
  EXPECT_EQ(report["operators"]["Relu"], 1);
}

TEST_F(Information, Explain) {
  const Ended text = run({"explain", symbolic_model(), "--all"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("loops: "), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("CPPGEN_KERNEL void "), std::string::npos);
  const json report = json::parse(run({"explain", symbolic_model(), "--json", "--source"}).out);
  ASSERT_EQ(report["steps"].size(), 1u);
  EXPECT_EQ(report["steps"][0]["engine"], "loops");
  EXPECT_NE(report["steps"][0]["source"], "");
  EXPECT_TRUE(report["decisions"].is_array());
}

// The second product's operand takes the place of the first one's if buffers take turns.
TEST_F(Information, ExplainFollowsTheMemorySettings) {
  ModelMaker maker;
  maker.input("x", {"64", "64"}).output("y");
  for (const char* w : {"w0", "w1", "w2", "w3"})
    maker.initializer(w, {64, 64}, onnx::TensorProto::FLOAT).set_raw_data(std::string(64 * 64 * 4, '\x3e'));
  maker.node("MatMul", {"x", "w0"}, {"a"}), maker.node("MatMul", {"a", "w1"}, {"b"});
  maker.node("MatMul", {"b", "w2"}, {"c"}), maker.node("MatMul", {"c", "w3"}, {"y"});
  const std::string model = write("products.onnx", maker);
  const auto arena = [&](const std::string& setting) {
    return json::parse(run({"explain", model, "--json", "--set", setting}).out)["arena_bytes"].get<int64_t>();
  };
  const int64_t buffer = 64 * 64 * 4;
  EXPECT_EQ(arena("ALLOW_BUFFER_REUSE=1"), 2 * buffer);
  for (const char* setting : {"ALLOW_BUFFER_REUSE=0", "MEMORY_PLANNING=0", "MEMORY_POOL=none", "NAN_ASSERTS=1"})
    EXPECT_EQ(arena(setting), 3 * buffer) << setting;
}

TEST_F(Information, ExplainOpensWithASummaryAndStops) {
  const Ended text = run({"explain", symbolic_model()});
  EXPECT_TRUE(text.out.find(": 1 step for ") != text.out.npos) << text.out;
  for (const char* line :
       {"\nkernels     1 loops\n", "\narithmetic  0 GFLOP",
        " at the peak of a run: 0 B of weights, 12 B of inputs, 12 B of outputs",
        "\nsizes       1 is assumed for N; --dim NAME=N sets a size\n", "\nmore        --all, --node NAME, "})
    EXPECT_NE(text.out.find(line), std::string::npos) << line << text.out;
  EXPECT_LE(std::count(text.out.begin(), text.out.end(), '\n'), 12) << text.out;
  EXPECT_EQ(text.out.find("loops: "), std::string::npos) << text.out;
  // x and y have [N, 3] floats each.
  const json report = json::parse(run({"explain", symbolic_model(), "--dim", "N=64", "--json"}).out);
  EXPECT_EQ(report["steps"][0]["bytes"], 2 * 64 * 3 * 4);
}

TEST_F(Information, ExplainComparesTheLastProfileWithBounds) {
  const std::vector<std::string> explain{"explain", symbolic_model(), "--dim", "N=64"};
  std::vector<std::string> in_json = explain;
  in_json.push_back("--json");
  const std::string before = run(explain).out;
  EXPECT_NE(before.find("\nmeasured    not yet: run `cppgen profile`\n"), std::string::npos) << before;
  EXPECT_NE(before.find(" are assumed until `cppgen profile` measures them)\n"), std::string::npos) << before;
  EXPECT_TRUE(json::parse(run(in_json).out)["profile"].is_null());
  ASSERT_EQ(run({"profile", symbolic_model(), "--dim", "N=64", "--runs", "9", "--threads", "1"}).status, 0);
  // A step of a microsecond is far from the bound of its 1536 bytes.
  const std::string after = run(explain).out;
  EXPECT_NE(after.find(" ms on 1 thread (the mean of the last `cppgen profile`), of which steps take "),
            std::string::npos)
      << after;
  EXPECT_NE(after.find("\nfar         "), std::string::npos) << after;
  const json report = json::parse(run(in_json).out);
  const json step = report["profile"]["far_from_bound"].at(0);
  EXPECT_EQ(step["name"], report["steps"][0]["name"]);
  EXPECT_GT(step["ms"].get<double>(), 2 * step["bound_ms"].get<double>());
  EXPECT_NE(run({"explain", symbolic_model(), "--dim", "N=65"}).out.find("run `cppgen profile`"), std::string::npos)
      << "another size, another profile";
  for (const auto& file : std::filesystem::directory_iterator(path("cache/cppgen/profiles")))
    folder.write("cache/cppgen/profiles/" + file.path().filename().string(), "{\"threads\": 1");
  EXPECT_NE(run(explain).out.find("run `cppgen profile`"), std::string::npos) << "a damaged file";
  environment["CPPGEN_FORCE_DISABLE_CACHES"] = "1";
  ASSERT_EQ(run({"profile", symbolic_model(), "--dim", "N=64", "--runs", "1"}).status, 0);
  EXPECT_NE(run(explain).out.find("run `cppgen profile`"), std::string::npos);
}

// A layout that is refused at first and chosen in the end is no outcome.
TEST_F(Information, DecisionsAreOutcomes) {
  ModelMaker maker;
  maker.input("x", {"64", "48"}).input("w", {"48", "32"}).output("y");
  maker.node("MatMul", {"x", "w"}, {"p"}, "product");
  maker.node("Relu", {"p"}, {"y"}, "after");
  const json report = json::parse(run({"explain", write("outcomes.onnx", maker), "--json"}).out);
  std::map<std::string, size_t> refused;  // the last position by subject
  for (size_t i = 0; i < report["decisions"].size(); i++) {
    const json& decision = report["decisions"][i];
    const std::string subject = decision["subject"];
    EXPECT_FALSE(refused.contains(subject)) << subject << " is decided after its refusal";
    if (decision["fused"] == false) refused[subject] = i;
  }
  EXPECT_GT(report["decisions"].size(), 1u);
}

TEST_F(Information, CheckSaysWhetherAModelCanBeCompiled) {
  environment["CPPGEN_CXX"] = "/nowhere/g++";
  const Ended text = run({"check", symbolic_model(), "--dim", "N=64"});
  ASSERT_EQ(text.status, 0) << text.err;
  const json taken = json::parse(run({"check", symbolic_model(), "--dim", "N=64", "--json"}).out);
  EXPECT_GT(taken["bound_ms"].get<double>(), 0) << "without a compiler";
  EXPECT_EQ(taken["peaks_are_assumed"], true);
  for (const char* line : {"\nsupported   all nodes\n", "\noperators   1 Relu\n", "\ntraffic     1536 B in a run",
                           " GB/s are assumed until `cppgen profile` measures them)\n"})
    EXPECT_NE(text.out.find(line), std::string::npos) << line << text.out;
  ModelMaker maker;
  maker.input("x", {"64"}).output("y");
  maker.node("Frobnicate", {"x"}, {"z"}, "first");
  maker.input("c", {}, onnx::TensorProto::BOOL).output("z").choice("y", "in_");
  maker.graph.mutable_node(1)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_op_type("Widget");
  const Ended bad = run({"check", write("bad.onnx", maker), "--json"});
  EXPECT_EQ(bad.status, 2);
  const json report = json::parse(bad.out);
  EXPECT_EQ(report["supported"], false);
  EXPECT_NE(report["reason"].get<std::string>().find("Frobnicate"), std::string::npos) << bad.out;
  EXPECT_EQ(report["operators"]["Frobnicate"], 1);
  ASSERT_EQ(report["unsupported"].size(), 2u) << bad.out;
  EXPECT_EQ(report["unsupported"][0]["node"], "first");
  EXPECT_EQ(report["unsupported"][1]["operator"], "Widget");
  EXPECT_EQ(report["unsupported"][1]["reason"], "the operator is not supported");
  EXPECT_EQ(run({"check", path("missing.onnx")}).status, 2);
}

// Rows in blocks keep running values in scratch memory, of each thread.
TEST_F(Information, CheckPredictsTheMemoryThatARunTakes) {
  ModelMaker maker;
  maker.input("x", {"64", "300"}).input("w", {"300", "40"}).input("v", {"40", "8"}).output("y");
  maker.node("MatMul", {"x", "w"}, {"p"});
  maker.node("Softmax", {"p"}, {"s"});
  maker.node("MatMul", {"s", "v"}, {"y"});
  const std::string model = write("memory.onnx", maker);
  for (const char* threads : {"1", "2"}) {
    const json taken = json::parse(run({"check", model, "--threads", threads, "--json"}).out);
    EXPECT_EQ(taken["inputs_bytes"], 4 * (64 * 300 + 300 * 40 + 40 * 8));
    EXPECT_EQ(taken["outputs_bytes"], 4 * 64 * 8);
    int64_t sum = 0;
    for (const char* part : {"weights_bytes", "inputs_bytes", "outputs_bytes", "arenas_bytes", "scratch_bytes"})
      sum += taken[part].get<int64_t>();
    EXPECT_EQ(taken["peak_bytes"], sum);
    const json measured = json::parse(run({"bench", model, "--threads", threads, "--runs", "10", "--json"}).out);
    EXPECT_EQ(taken["arenas_bytes"].get<int64_t>() + taken["scratch_bytes"].get<int64_t>(), measured["arena_bytes"]);
    EXPECT_EQ(taken["weights_bytes"], measured["weights_bytes"]);
  }
}

TEST_F(Information, ExplainShowsWhatIsAskedFor) {
  ModelMaker maker;
  maker.input("x", {"64", "N"}).input("w", {"N", "32"}).input("v", {"32", "8"}).output("y");
  maker.node("MatMul", {"x", "w"}, {"p"});
  maker.node("Relu", {"p"}, {"s"});
  maker.node("MatMul", {"s", "v"}, {"y"});
  const std::string model = write("three.onnx", maker);
  const std::vector<std::string> base{"explain", model, "--dim", "N=64"};
  const auto explain = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run(more);
  };
  const std::string all = explain({"--all"}).out, relu = explain({"--node", "Relu#1"}).out;
  EXPECT_NE(relu.find("Relu#1"), std::string::npos) << relu;
  EXPECT_LT(relu.size(), all.size());
  EXPECT_NE(explain({"--kernel", "0"}).out.find("   0  "), std::string::npos);
  EXPECT_EQ(explain({"--kernel", "0"}).out.find("   1  "), std::string::npos);
  EXPECT_NE(explain({"--memory"}).out.find("written first by, read last by"), std::string::npos);
  EXPECT_EQ(explain({"--memory"}).out.find("\ndecisions\n"), std::string::npos);
  EXPECT_NE(explain({"--source"}).out.find("KERNEL void "), std::string::npos);
  EXPECT_EQ(explain({"--source"}).out.find("\ndecisions\n"), std::string::npos);
  for (const std::string& text : {all, relu}) EXPECT_NE(text.find("\ndecisions\n"), std::string::npos);
  EXPECT_EQ(explain({"--all", "--kernel", "0"}).status, 2);
  EXPECT_EQ(explain({"--node", "Nothing"}).err, "cppgen: neither the model nor a step has the node 'Nothing'\n");
  EXPECT_EQ(explain({"--kernel", "99"}).status, 2);
  const json report = json::parse(explain({"--memory", "--json"}).out);
  EXPECT_GT(report["arena_bytes"], 0);
  for (const json& it : report["temporaries"])
    EXPECT_LE(it["offset"].get<int64_t>() + it["bytes"].get<int64_t>(), report["arena_bytes"].get<int64_t>());
}

TEST_F(Information, ExplainSaysWhichPassRemovedANode) {
  ModelMaker maker;
  maker.input("x", {"8"}).output("y").node("Identity", {"x"}, {"i"}, "/the id");
  maker.node("Relu", {"i"}, {"y"}, "/relu");
  const Ended ended = run({"explain", write("identity.onnx", maker), "--node", "/the id"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(
      ended.err,
      "cppgen: no step computes the node '/the id': the pass eliminate_dead_code folded or removed it (--passes shows "
      "how)\n");
}

// A window of 187 in N elements, of which the model takes at most 300, and twice as many of another.
TEST_F(Information, SizesThatTheModelAllowsAreAssumed) {
  ModelMaker maker;
  maker.input("x", {"1", "1", "N"}).input("z", {"M"}).output("y").output("w");
  auto& kernel = maker.initializer("kernel", {1, 1, 187}, onnx::TensorProto::FLOAT);
  for (int k = 0; k < 187; k++) kernel.add_float_data(1);
  auto& table = maker.initializer("table", {300}, onnx::TensorProto::FLOAT);
  for (int k = 0; k < 300; k++) table.add_float_data(1);
  auto list = [&](const char* name, int64_t value) {
    maker.initializer(name, {1}, onnx::TensorProto::INT64).add_int64_data(value);
  };
  list("zero", 0), list("two", 2), list("three", 3);
  maker.node("Conv", {"x", "kernel"}, {"y"});
  maker.node("Shape", {"x"}, {"dims"});
  maker.node("Slice", {"dims", "two", "three"}, {"extent"});
  maker.node("Slice", {"table", "zero", "extent"}, {"rows"});
  maker.node("Add", {"x", "rows"}, {"sum"});
  maker.node("Neg", {"z"}, {"w"});
  maker.output("sum");
  const std::string model = write("open.onnx", maker);
  for (const char* command : {"check", "explain"}) {
    const Ended ended = run({command, model});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find("1 is assumed for M, 224 is assumed for N"), std::string::npos) << ended.out;
    const auto json = nlohmann::json::parse(run({command, model, "--json"}).out);
    EXPECT_EQ(json.at("assumed_sizes").at("N"), 224);
  }
  for (const char* command : {"run", "bench"}) {
    const Ended ended = run({command, model});
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("(for example --dim N=224 --dim M=1)"), std::string::npos) << ended.err;
  }
}

TEST_F(Information, TuneAndMinifyNeedSizes) {
  ModelMaker maker;
  maker.input("x", {"batch"}).output("y").node("Relu", {"x"}, {"y"});
  const std::string model = write("open.onnx", maker);
  const Ended tune = run({"tune", model}), minify = run({"minify", model});
  EXPECT_EQ(tune.status, 2);
  EXPECT_EQ(tune.err,
            "cppgen: the dimension 'batch' (input 'x' axis 0) has no size: give --dim batch=N or --sizes batch=N\n");
  EXPECT_EQ(minify.status, 2);
  EXPECT_NE(minify.err.find("dimensions without a size: give --dim NAME=N"), std::string::npos) << minify.err;
}

TEST_F(Information, ExplainLayouts) {
  ModelMaker maker;
  maker.input("x", {"2", "8", "N", "10"}).output("y").node("Conv", {"x", "w"}, {"z"});
  maker.node("Relu", {"z"}, {"y"});
  auto& weights = maker.initializer("w", {16, 8, 1, 1}, onnx::TensorProto::FLOAT);
  for (int i = 0; i < 16 * 8; i++) weights.add_float_data(1);
  const std::string model = write("layouts.onnx", maker);
  const Ended text = run({"explain", model, "--dim", "N=10", "--all"});
  ASSERT_EQ(text.status, 0) << text.err;
  for (const char* line :
       {"   1 of 4 dimensions channels-last (0 2 3 1)\n",
        "  layout   x: (input) -> Conv#0, Relu#1: its K axis is not contiguous, and it is not a temporary; 12.8 kB\n",
        "  12.8 kB moved per run\n"})
    EXPECT_NE(text.out.find(line), std::string::npos) << line << text.out;
  const json report = json::parse(run({"explain", model, "--json"}).out);
  EXPECT_EQ(report["layouts"][0]["order"], json({0, 2, 3, 1}));
  EXPECT_EQ(report["movements"][0]["kind"], "layout");
  EXPECT_EQ(report["movements"][0]["bytes"], "1280*N");
}

TEST_F(Information, Config) {
  environment["CPPGEN_MIN_CHUNK_SIZE"] = "1024";
  environment["NUM_BUILDERS"] = "3";
  const json settings = json::parse(run({"config", "--json", "--threads", "2"}).out)["settings"];
  const auto find = [&](const char* name) {
    for (const json& row : settings)
      if (row["name"] == name) return row;
    return json();
  };
  EXPECT_EQ(find("MIN_CHUNK_SIZE")["value"], "1024");
  EXPECT_EQ(find("MIN_CHUNK_SIZE")["source"], "CPPGEN_MIN_CHUNK_SIZE");
  EXPECT_EQ(find("COMPILE_THREADS")["source"], "NUM_BUILDERS");
  EXPECT_EQ(find("THREADS")["value"], "2");
  EXPECT_EQ(find("CACHE_DIR")["value"], path("cache/cppgen"));
  EXPECT_NE(find("ISA")["doc"], "");
  EXPECT_NE(run({"config"}).out.find("MIN_CHUNK_SIZE=1024  (CPPGEN_MIN_CHUNK_SIZE)\n"), std::string::npos);
}

TEST_F(Information, ConfigRefusesWhatRunsRefuse) {
  for (const char* value :
       {"DISABLE_PASSES=zz", "GEMM_CACHE_BLOCKING=1,2", "REMOTE_CACHE=redis://h:99999", "TUNING=abc"}) {
    const Ended ended = run({"config", "--set", value});
    EXPECT_EQ(ended.status, 2) << value;
    EXPECT_EQ(ended.out, "");
  }
}

// What another tool's variable contains is not our value, and enters no key.
TEST_F(Information, ConfigForgetsForeignValuesThatItCannotUse) {
  environment.erase("CPPGEN_CACHE_DIR");
  environment["TORCHINDUCTOR_CPP_GEMM_CACHE_BLOCKING"] = "32,8,64";
  environment["TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE"] = "redis://host:99999";
  const Ended ended = run({"config", "--diff"});
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("TORCHINDUCTOR_CPP_GEMM_CACHE_BLOCKING=32,8,64 is ignored: allowed: auto, or Mt,Nt,0"),
            std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE=... is ignored"), std::string::npos) << ended.err;
  environment["TORCHINDUCTOR_CPP_GEMM_CACHE_BLOCKING"] = "32,8,0";
  EXPECT_EQ(run({"config", "--diff"}).out,
            "GEMM_CACHE_BLOCKING=32,8,0  (TORCHINDUCTOR_CPP_GEMM_CACHE_BLOCKING; default auto)\n");
}

TEST_F(Information, SettingsFilesNameEachSettingOnce) {
  const std::string file = folder.write("settings.txt", "\xef\xbb\xbfTHREADS=2\r\n");
  EXPECT_EQ(run({"config", "--diff", "--load", file}).status, 0) << "a mark of the byte order";
  const Ended twice = run({"config", "--load", folder.write("twice.txt", "THREADS=2\nMIN_CHUNK_SIZE=64\nTHREADS=1\n")});
  EXPECT_EQ(twice.status, 2);
  EXPECT_NE(twice.err.find("twice.txt:3: THREADS is given twice"), std::string::npos) << twice.err;
  const Ended other = run({"config", "--load", folder.write("other.txt", "THREADS=2\ncppgen_threads=2\n")});
  EXPECT_NE(other.err.find("other.txt:2: cppgen_threads is given twice"), std::string::npos) << other.err;
  const Ended wrong = run({"config", "--load", folder.write("wrong.txt", "# none\nTHREADS=some\n")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("wrong.txt:2: "), std::string::npos) << wrong.err;
  EXPECT_EQ(run({"config", "--set", "TUNING=nope=1"}).status, 2);
}

TEST_F(Information, NamesFromAModelDoNotControlTheTerminal) {
  const std::string evil = "N\x1b[31m\xff";
  ModelMaker maker;
  maker.input("x", {evil, "4"}).output("y").node("Relu", {"x"}, {"y"});
  const std::string model = write("evil\x1b[31m.onnx", maker);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"explain", model, "--all"}, {"check", model}, {"inspect", model}}) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ((ended.out + ended.err).find('\x1b'), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("evil\\x1b[31m.onnx"), std::string::npos) << ended.out;
  }
}

TEST_F(Information, ConfigHidesPasswords) {
  for (const char* option : {"", "--json", "--diff"}) {
    std::vector<std::string> words{"config", "--set", "REMOTE_CACHE=redis://me:secret@host:1"};
    if (*option) words.push_back(option);
    const std::string out = run(words).out;
    EXPECT_EQ(out.find("secret"), std::string::npos) << out;
    EXPECT_NE(out.find("redis://me:***@host:1"), std::string::npos) << out;
  }
}

TEST_F(Information, FilesThatCannotBeWrittenAreFoundBeforeTheWork) {
  ModelMaker maker;
  maker.input("x", {"8"}).output("y").node("Relu", {"x"}, {"y"});
  const std::string model = write("relu.onnx", maker), folder = path("no file");
  std::filesystem::create_directory(folder);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"profile", model, "--trace", folder},
                                             {"bench", model, "--sweep", "THREADS=1", "--plot", folder},
                                             {"tune", model, "--export", folder},
                                             {"explain", model, "--html", folder}}) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err,
              "cppgen: " + words[words.size() - 2] + ": " + folder + ": cannot be written: Is a directory\n");
  }
}

TEST_F(Information, ConfigShowsAndKeepsWhatIsNotTheDefault) {
  environment.erase("CPPGEN_CACHE_DIR");
  EXPECT_EQ(run({"config", "--diff"}).out, "");
  environment["CPPGEN_MIN_CHUNK_SIZE"] = "1024";
  environment["CPPGEN_SMT"] = "0";
  EXPECT_EQ(run({"config", "--diff", "--threads", "2"}).out,
            "THREADS=2  (option; default -1)\nMIN_CHUNK_SIZE=1024  (CPPGEN_MIN_CHUNK_SIZE; default 512)\n");
  EXPECT_EQ(run({"config", "--save", path("settings.txt"), "--threads", "2"}).status, 0);
  environment.erase("CPPGEN_MIN_CHUNK_SIZE");
  const std::vector<std::string> load{"config", "--diff", "--load", path("settings.txt")};
  EXPECT_EQ(run(load).out, "THREADS=2  (option; default -1)\nMIN_CHUNK_SIZE=1024  (option; default 512)\n");
}

TEST_F(Information, OptionsPrevailOverAFileOfSettingsAndThatOverVariables) {
  const std::string file = folder.write("settings.txt", "# two\n\n threads = 3 \r\nCPPGEN_SPIN_MICROSECONDS=7\n");
  environment["CPPGEN_THREADS"] = "4";
  const auto first_line = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"config", "--diff", "--load", file});
    const std::string out = run(more).out;
    const size_t at = out.find("THREADS=");
    return out.substr(at, out.find(' ', at) - at);
  };
  EXPECT_EQ(first_line({}), "THREADS=3");
  EXPECT_EQ(first_line({"--threads", "5"}), "THREADS=5");
  EXPECT_EQ(first_line({"--set", "THREADS=6"}), "THREADS=6");
  const std::string bad = folder.write("bad.txt", "THREADS=2\nthreads 3\n");
  EXPECT_EQ(run({"config", "--load", bad}).err, "cppgen: " + bad + ":2: expected NAME=VALUE, as in THREADS=2\n");
  EXPECT_EQ(run({"config", "--load", path("missing.txt")}).status, 2);
  EXPECT_EQ(run({"config", "--save", path("no/folder/settings.txt")}).status, 2);
}

TEST_F(Information, Isa) {
  const json report = json::parse(run({"isa", "--json", "--isa", "scalar"}).out);
  EXPECT_EQ(report["selected"], "scalar");
  EXPECT_EQ(report["isas"][0]["name"], "scalar");
  EXPECT_EQ(report["isas"][0]["supported"], true);
  EXPECT_NE(run({"isa", "--isa", "scalar"}).out.find("* selected: scalar\n"), std::string::npos);
  EXPECT_EQ(run({"isa", "--isa", "mmx"}).status, 2);
}

TEST_F(Information, Cache) {
  EXPECT_EQ(run({"cache", "path"}).out, path("cache/cppgen") + "\n");
  EXPECT_FALSE(std::filesystem::exists(path("cache/cppgen")));
  EXPECT_EQ(run({"cache", "list"}).out, "the cache is empty\n");
  ASSERT_EQ(run({"run", symbolic_model(), "--dim", "N=2"}).status, 0);
  const json stats = json::parse(run({"cache", "--json"}).out);
  EXPECT_GE(stats["kernels"], 1);
  EXPECT_EQ(stats["models"], 1);
  EXPECT_GT(stats["model_bytes"], 0);
  EXPECT_EQ(json::parse(run({"cache", "list", "--json"}).out)["models"].size(), 1u);
  EXPECT_EQ(json::parse(run({"cache", "clear", "--json"}).out)["removed_models"], 1);
  EXPECT_EQ(run({"cache", "list"}).out, "the cache is empty\n");
  EXPECT_EQ(json::parse(run({"run", symbolic_model(), "--dim", "N=2", "--json"}).out)["from_cache"], false);
}

}  // namespace
}  // namespace cppgen
