// TRACE writes an archive from which another machine repeats the compilation and the run.
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "cppgen/support/tar.h"
#include "runtime/values/npy.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Repro : public CliTest {
 protected:
  // Returns the path of the archive of a traced command, of which nothing else is left.
  std::string trace(std::vector<std::string> arguments, int status = 0) {
    const std::string model = arguments.at(1);
    arguments.insert(arguments.end(), {"--set", "TRACE=1", "--set", "TRACE_DIR=" + path("traces")});
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, status) << ended.err;
    const std::string stem = fs::path(model).stem();
    fs::rename(path("traces/" + stem + ".tar"), path("t.tar"));
    for (const char* gone : {"traces", "cache"}) fs::remove_all(path(gone));
    fs::remove(model);
    environment.erase("CPPGEN_INJECT_RELU_BUG");
    return path("t.tar");
  }
  // The archive with a changed record.
  std::string changed(const std::string& archive, const std::function<void(json&)>& change) const {
    fs::remove_all(path("changed"));
    fs::create_directory(path("changed"));
    extract_tar(archive, path("changed"), 1 << 24);
    json record = json::parse(read_file(path("changed/repro.json")));
    change(record);
    folder.write("changed/repro.json", record.dump());
    return path("changed");
  }
  std::string weights_model() const {
    ModelMaker m;
    m.input("x", {"N", "8"}).output("y");
    auto& w = m.initializer("w", {8, 8}, onnx::TensorProto::FLOAT);
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& location = *w.add_external_data();
    location.set_key("location"), location.set_value("data/w.bin");
    folder.write("data/w.bin", std::string(256, '\x3c'));
    m.node("MatMul", {"x", "w"}, {"p"});
    m.node("Relu", {"p"}, {"r"});
    m.node("Exp", {"r"}, {"y"});
    return write("m.onnx", m);
  }
};

TEST_F(Repro, KernelsAndResultsAreTheSame) {
  const std::string archive = trace({"run", weights_model(), "--dim", "N=3", "--seed", "5"});
  fs::remove_all(path("data"));
  const Ended ended = run({"repro", archive});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "kernels: 3 of 3 sources the same\nresults: the same bits\n")) << ended.out;
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
  const std::string directory = changed(archive, [](json&) {});
  EXPECT_EQ(run({"repro", directory}).status, 0) << "the folder itself";
  EXPECT_EQ(run({"verify", directory + "/model/model.onnx", directory}).status, 0);
}

TEST_F(Repro, SettingsAreThoseOfTheTrace) {
  environment["CPPGEN_INJECT_RELU_BUG"] = "accuracy";
  const std::string archive = trace({"run", weights_model(), "--dim", "N=3", "--set", "USE_FAST_MATH=1"});
  json report = json::parse(run({"repro", archive, "--json"}).out);
  EXPECT_EQ(report["same"], true) << report;
  EXPECT_EQ(report["surroundings"], json::array());
  const Ended other = run({"repro", archive, "--json", "--set", "USE_FAST_MATH=0"});
  EXPECT_EQ(other.status, 1) << other.err;
  report = json::parse(other.out);
  EXPECT_EQ(report["changed"], json({"kernels_0.cpp"}));
}

TEST_F(Repro, ResultsThatDifferAreReported) {
  const std::string archive = trace({"run", weights_model(), "--dim", "N=3"});
  const Ended ended = run({"repro", archive, "--set", "INJECT_RELU_BUG=accuracy"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(contains(ended.out, "results: differ: output 'y': 24 of 24 elements differ")) << ended.out;
}

TEST_F(Repro, CompilationsThatFailCanBeRepeated) {
  environment["CPPGEN_INJECT_RELU_BUG"] = "compile_error";
  const std::string archive = trace({"compile", symbolic_model(), "-o", path("package")}, 3);
  const Ended ended = run({"repro", archive});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out,
                       "kernels: 1 of 1 source the same\ncompilation: the same error: the compiler of kernel "
                       "unit 'kernels_0' exited with status 1"))
      << ended.out;
  EXPECT_TRUE(contains(ended.out, "the emitted source is to blame")) << ended.out;
  const Ended other = run({"repro", archive, "--set", "INJECT_RELU_BUG=none"});
  EXPECT_EQ(other.status, 1) << other.out;
  EXPECT_TRUE(contains(other.out, "\n  here:  no error\n")) << other.out;
  const json report = json::parse(run({"repro", archive, "--json"}).out);
  EXPECT_EQ(report["same"], true);
  EXPECT_TRUE(contains(report["compile_error"]["here"], "exited with status 1")) << report;
}

TEST_F(Repro, PassesThatFailAreWrittenAsTexts) {
  ModelMaker m;
  m.input("x", {"N", "8"}).input("z", {"N", "7"}).output("y");
  m.node("Relu", {"x"}, {"r"});
  m.node("Add", {"r", "z"}, {"y"});
  const std::string archive = trace({"compile", write("m.onnx", m), "-o", path("package")}, 2);
  const Ended ended = run({"repro", archive, "--text", path("case.graph")});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, path("case.graph") + ": the text before the pass infer_types, which fails: "))
      << ended.out;
  EXPECT_TRUE(contains(ended.out, "\n  cppgen opt " + path("case.graph") + " --pass infer_types")) << ended.out;
  const Ended again = run({"opt", path("case.graph"), "--pass", "infer_types"});
  EXPECT_EQ(again.status, 2) << again.out;
  const json report = json::parse(run({"repro", archive, "--text", path("case.graph"), "--json"}).out);
  EXPECT_EQ(report["text"]["pass"], "infer_types");
  EXPECT_EQ("cppgen: " + report["text"]["error"].get<std::string>() + "\n", again.err);
  EXPECT_EQ(temporary_files(), std::vector<std::string>());
}

TEST_F(Repro, TextsOfModelsWithStates) {
  ModelMaker m;
  m.input("past", {"2", "P"}).input("x", {"2", "n"}).output("present").output("y");
  auto& axis = *m.node("Concat", {"past", "x"}, {"present"}, "append").add_attribute();
  axis.set_name("axis"), axis.set_type(onnx::AttributeProto::INT), axis.set_i(1);
  m.node("Neg", {"present"}, {"y"}, "minus");
  const auto traced = [&](const char* state, int status) {
    return trace({"compile", write("m.onnx", m), "-o", path("package"), "--state", state}, status);
  };
  const Ended good = run({"repro", traced("present=past:16", 0), "--text", path("good.graph")});
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_TRUE(contains(good.out, "good.graph: the imported graph, over which no pass fails")) << good.out;
  EXPECT_TRUE(contains(read_file(path("good.graph")), "\n  keep %present in %past capacity 16\n"));
  const Ended bad = run({"repro", traced("y=past", 2), "--text", path("bad.graph")});
  EXPECT_EQ(bad.status, 0) << bad.out << bad.err;
  EXPECT_TRUE(contains(bad.out, "bad.graph: the text before the pass lower, which fails: --state y=past:2048: node "))
      << bad.out;
  const Ended again = run({"opt", path("bad.graph"), "--pass", "lower"});
  EXPECT_EQ(again.status, 2) << again.out;
  EXPECT_TRUE(contains(again.err, "does not copy the input to the same positions of the output")) << again.err;
}

// The compiler is not part of the trace.
TEST_F(Repro, CompilersThatFailElsewhereDiffer) {
  environment["CPPGEN_CXX"] = "/bin/false";
  const std::string archive = trace({"run", symbolic_model(), "--dim", "N=3"}, 2);
  environment["CPPGEN_CXX"] = "g++";
  const Ended ended = run({"repro", archive});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "\ncompilation: differ:\n  trace: ")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "\n  here:  no error\n")) << ended.out;
}

TEST_F(Repro, OtherErrorsDiffer) {
  const std::string archive = trace({"run", weights_model(), "--dim", "N=3", "--set", "MAX_MEMORY=1MB"});
  const std::string refused =
      changed(archive, [](json& r) { r["run_error"] = "another error", r["files"] = json::array(); });
  EXPECT_EQ(run({"repro", refused}).status, 1);
  const Ended ended = run({"repro", archive, "--set", "MAX_MEMORY=100"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "\n  trace: no error\n  here:  ")) << ended.out;
  changed(archive, [](json& r) { EXPECT_EQ(r["settings"]["MAX_MEMORY"], "1000000"); });
}

// A run that fails can be repeated with its inputs.
TEST_F(Repro, RunsThatFailCanBeRepeated) {
  const std::string model = write("m.onnx", [] {
    ModelMaker m;
    m.input("ids", {"4"}, onnx::TensorProto::INT64).output("y");
    m.initializer("far", {}, onnx::TensorProto::INT64).add_int64_data(100);
    m.initializer("table", {7, 2}, onnx::TensorProto::FLOAT).set_raw_data(std::string(7 * 2 * 4, '\x3c'));
    m.node("Add", {"ids", "far"}, {"moved"});
    m.node("Gather", {"table", "moved"}, {"y"}, "look_up");
    return m;
  }());
  const std::string archive = trace({"run", model, "--seed", "3"}, 2);
  const Ended ended = run({"repro", archive});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "\nresults: the same error: node 'look_up' (Gather)")) << ended.out;
  EXPECT_EQ(rt::read_npy(changed(archive, [](json&) {}) + "/in_0.npy").dims(), std::vector<int64_t>{4});
  // Without the error, the run differs from the one of the trace.
  const std::string valid = changed(archive, [](json&) {});
  rt::Tensor ids(DType::i64, {4});
  for (int i = 0; i < 4; i++) ids.as<int64_t>()[i] = -100 + i;
  rt::write_npy(valid + "/in_0.npy", ids.view());
  const Ended good = run({"repro", valid});
  EXPECT_EQ(good.status, 1);
  EXPECT_TRUE(contains(good.out, "results: differ:\n  trace: node 'look_up'")) << good.out;
  EXPECT_TRUE(contains(good.out, "\n  here:  no error\n")) << good.out;
}

TEST_F(Repro, SettingsThatEndARunAreThoseOfTheTrace) {
  ModelMaker m;
  m.input("x", {"64"}).output("y");
  m.node("Log", {"x"}, {"y"});
  const std::string archive = trace({"run", write("log.onnx", m), "--set", "NAN_ASSERTS=1"}, 2);
  const Ended ended = run({"repro", archive});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "results: the same error: NAN_ASSERTS: kernel")) << ended.out;
}

// The decisions, the compilations of kernels, and the messages.
TEST_F(Repro, LogsArePartOfTheArchive) {
  environment["CPPGEN_TREADS"] = "2";
  const auto logs = [&](const std::string& archive) {
    changed(archive, [](json&) {});
    std::string text;
    for (const auto& file : fs::directory_iterator(path("changed/compiler"))) text += read_file(file.path());
    EXPECT_TRUE(
        contains(read_file(path("changed/messages.txt")), "warning: unknown variable CPPGEN_TREADS is ignored"));
    return text;
  };
  const std::string good = logs(trace({"run", weights_model(), "--dim", "N=3"}));
  EXPECT_TRUE(contains(read_file(path("changed/units.txt")), "kernels_0: compiled, "));
  EXPECT_TRUE(contains(good, "/g++ -std=gnu++20 ")) << good;
  EXPECT_TRUE(contains(good, "exited with status 0 (")) << good;
  EXPECT_TRUE(contains(read_file(path("changed/decisions.txt")), "  inline     yes ")) << "of the epilogue";
  EXPECT_FALSE(contains(read_file(path("changed/messages.txt")), "error: "));

  environment["CPPGEN_INJECT_RELU_BUG"] = "compile_error";
  const std::string bad = logs(trace({"compile", symbolic_model(), "-o", path("package")}, 3));
  EXPECT_TRUE(contains(bad, "exited with status 1 (")) << bad;
  EXPECT_TRUE(
      contains(read_file(path("changed/messages.txt")), "error: the compiler of kernel unit 'kernels_0' exited"));
}

TEST_F(Repro, CompilationsWithoutARunHaveNoResults) {
  const Ended ended = run({"repro", trace({"compile", symbolic_model(), "-o", path("package")})});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "results: the trace has none")) << ended.out;
}

// What an archive says never becomes a line of a file of settings, an option of a compiler or a program that runs.
TEST_F(Repro, ArchivesStartNoPrograms) {
  const std::string archive = trace({"run", symbolic_model(), "--dim", "N=3"});
  const std::string sign = path("sign"), shell = "/bin/sh -c 'touch " + sign + "'";
  const auto refused = [&](const std::function<void(json&)>& change) {
    const Ended ended = run({"repro", changed(archive, change)});
    EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
    EXPECT_FALSE(fs::exists(sign)) << ended.err;
    EXPECT_TRUE(contains(ended.err, "not allowed") || contains(ended.err, "do not record")) << ended.err;
  };
  for (const char* line_break : {"\n", "\r", "\r\n", "\x0b", "\x0c", "\xc2\x85", "\xe2\x80\xa8"})
    refused([&](json& r) { r["isa"] = "auto" + std::string(line_break) + "CXX=" + shell; });
  refused([&](json& r) { r["isa"] = std::string("auto\0CXX=", 9) + shell; });
  const std::vector<std::string> options = {"-wrapper /bin/sh,-c,touch\t" + sign,
                                            "-wrapper /usr/bin/touch," + sign,
                                            "-g -wrapper /usr/bin/touch," + sign,
                                            "-fplugin=/tmp/x.so",
                                            "-B/tmp",
                                            "-specs=/tmp/x",
                                            "-o " + sign,
                                            "-g @/tmp/x",
                                            "-include /tmp/x",
                                            "-g -dumpdir " + sign,
                                            "-g -MF" + sign,
                                            "'-wrapper' /usr/bin/touch," + sign,
                                            "-g\\ -wrapper",
                                            "-fuse-ld=/tmp/x",
                                            "-g3 kernel.cpp",
                                            "-Wl,-rpath,/tmp",
                                            "-x",
                                            "--sysroot=/"};
  for (const char* before : {"", " ", "\t", "  \t "})
    for (const std::string& option : options) refused([&](json& r) { r["settings"]["DEBUG_LEVEL"] = before + option; });
  for (const char* name : {"CXX", " CXX", "CPPGEN_CXX", "cxx", "CACHE_DIR", "CUSTOM_OPS", "REMOTE_CACHE", "TRACE_DIR",
                           "WORKER_LOG_PATH", "ISA\nCXX"})
    refused([&](json& r) { r["settings"][name] = shell; });
  refused([&](json& r) { r["settings"]["TUNING"] = "x=1\nCXX=" + shell; });
}

// The trace's data could use a kernel that checks no indices to write where it likes, and take all memory.
TEST_F(Repro, ArchivesDoNotSwitchOffChecks) {
  const std::string archive = trace({"run", gather_model(), "--set", "MAX_MEMORY=1MB"});
  const auto warning = [&](const char* name, const char* value) {
    const Ended ended = run({"repro", changed(archive, [&](json& r) { r["settings"][name] = value; })});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return ended.err;
  };
  EXPECT_TRUE(contains(warning("ASSERT_INDIRECT_INDEXING", "0"), "ASSERT_INDIRECT_INDEXING=0 is not taken from"));
  EXPECT_TRUE(contains(warning("MAX_MEMORY", "1000TB"), "MAX_MEMORY=1000TB is not taken from the trace"));
  EXPECT_EQ(warning("MAX_MEMORY", "2MB"), "");
}

// Archives come from anywhere.
TEST_F(Repro, ArchivesAreNotTrusted) {
  const std::string archive = trace({"run", symbolic_model(), "--dim", "N=3"});
  const auto error = [&](const std::function<void(json&)>& change) {
    const Ended ended = run({"repro", changed(archive, change)});
    EXPECT_EQ(ended.status, 2) << ended.err;
    return ended.err;
  };
  EXPECT_TRUE(contains(error([](json& r) { r["model"] = "../m.onnx"; }), "leads out of the folder"));
  EXPECT_TRUE(contains(error([](json& r) { r["files"] = {"/etc/passwd"}; }), "leads out of the folder"));
  EXPECT_TRUE(contains(error([](json& r) { r["settings"]["CXX"] = "/bin/false"; }), "traces do not record"));
  EXPECT_TRUE(contains(error([](json& r) { r["settings"]["CUSTOM_OPS"] = "/x"; }), "traces do not record"));
  EXPECT_TRUE(contains(error([](json& r) { r["settings"] = 3; }), "is malformed"));
  EXPECT_TRUE(contains(error([](json& r) { r["model_sha256"] = ""; }), "is not the model of the trace"));
  EXPECT_TRUE(contains(error([](json& r) { r["settings"]["DEBUG_LEVEL"] = "-fplugin=x"; }), "\"-fplugin=x\" is not"));
  EXPECT_EQ(run({"repro", changed(archive, [](json& r) { r["settings"]["DEBUG_LEVEL"] = "-g -Og"; })}).status, 0)
      << "options of debug information are taken";
  EXPECT_EQ(run({"repro", folder.write("junk.tar", "junk")}).status, 2);
  EXPECT_EQ(run({"repro", path("nowhere")}).status, 2);
}

}  // namespace
}  // namespace cppgen
