#include "tests/cli/program.h"

namespace cppgen {
namespace {

class Options : public CliTest {};

TEST_F(Options, VersionEverywhere) {
  EXPECT_EQ(run({"--version"}).out, "cppgen 0.2.0\n");
  EXPECT_EQ(run({"bench", "--version"}).out, "cppgen 0.2.0\n");
  EXPECT_EQ(run({"--version"}).status, 0);
}

TEST_F(Options, HelpOfEveryCommandHasAnExampleAndTheExitStatus) {
  for (const char* command : {"run", "compile", "verify", "bench", "profile", "explain", "opt", "check", "inspect",
                              "config", "isa", "cache"}) {
    const Ended help = run({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_NE(help.out.find("Example:\n  cppgen " + std::string(command)), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("Exit status: 0 success"), std::string::npos) << command;
    EXPECT_EQ(help.err, "") << command;
  }
  EXPECT_EQ(run({"--help"}).out.find("measure"), std::string::npos) << "the hidden command is shown";
}

TEST_F(Options, MistakesAreTheUsersAndNameTheHelp) {
  const Ended unknown = run({"run", "--frobnicate", "x.onnx"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_NE(unknown.err.find("--frobnicate"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("See `cppgen run --help`."), std::string::npos) << unknown.err;
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"run"}).status, 2);
  EXPECT_EQ(run({"compile", symbolic_model()}).status, 2) << "-o is required";
  EXPECT_EQ(run({"bench", symbolic_model(), "--runs", "0"}).status, 2);
  EXPECT_EQ(run({"bench", symbolic_model(), "--against", "abacus"}).status, 2);
  EXPECT_EQ(run({"cache", "burn"}).status, 2);
  EXPECT_EQ(run({"config", "--save", ""}).status, 2);
  for (const char* seconds : {"nan", "-nan", "inf", "0", "1s"})
    EXPECT_EQ(run({"bench", symbolic_model(), "--dim", "N=2", "--seconds", seconds}).status, 2) << seconds;
  for (const char* seed : {"-1", "18446744073709551616", "", "1.5"}) {
    const Ended bad = run({"run", symbolic_model(), "--dim", "N=2", "--seed", seed});
    EXPECT_EQ(bad.status, 2) << seed;
    EXPECT_NE(bad.err.find("0 to 2^64 - 1"), std::string::npos) << bad.err;
  }
}

TEST_F(Options, HelpIsACommand) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "run"}).out, run({"run", "--help"}).out);
  EXPECT_EQ(run({"help", "run"}).status, 0);
  EXPECT_EQ(run({}).err, run({"--help"}).out) << "without arguments";
}

TEST_F(Options, WhatIsMisspeltIsToldWithWhatWasMeant) {
  const auto error = [&](const std::vector<std::string>& arguments) {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(error({"comiple", "m.onnx"}),
            "cppgen: there is no command 'comiple'; did you mean `cppgen compile`?\nSee `cppgen --help`.\n");
  EXPECT_EQ(error({"m.onnx"}),
            "cppgen: 'm.onnx' is not a command; did you mean `cppgen run m.onnx`?\nSee `cppgen --help`.\n");
  EXPECT_NE(error({"frobnicate"}).find("the commands are help, run, compile"), std::string::npos);
  EXPECT_EQ(error({"run", "m.onnx", "--inptu", "x=1"}),
            "cppgen: there is no option --inptu; did you mean --input?\nSee `cppgen run --help`.\n");
  EXPECT_EQ(error({"run", "m.onnx", "n.onnx"}),
            "cppgen: the argument 'n.onnx' was not expected\nSee `cppgen run --help`.\n");
}

TEST_F(Options, ForeignVariablesNeverStopAnything) {
  environment["LOGLEVEL"] = "warn";
  environment["NUM_BUILDERS"] = "auto";
  environment["TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS"] = "ATEN,TRITON,CPP";
  environment["CXX"] = "/nowhere/clang++";
  environment["TORCHINDUCTOR_CUDAGRAPHS"] = "1";
  const std::string parent = folder.write("not_a_directory", "");
  environment.erase("CPPGEN_CACHE_DIR");
  environment["TORCHINDUCTOR_CACHE_DIR"] = parent;
  environment["XDG_CACHE_HOME"] = path("home_cache");
  const Ended ended = run({"run", symbolic_model(), "--dim", "N=2"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  for (const char* name :
       {"LOGLEVEL: \"warn\"", "NUM_BUILDERS: \"auto\"", "ATEN,TRITON are ignored", "CXX=/nowhere/clang++ is ignored",
        "TORCHINDUCTOR_CUDAGRAPHS has no effect", "TORCHINDUCTOR_CACHE_DIR"})
    EXPECT_NE(ended.err.find(name), std::string::npos) << name << " in:\n" << ended.err;
  EXPECT_TRUE(std::filesystem::exists(path("home_cache/cppgen/kernels")));
}

TEST_F(Options, MissingModelIsNamed) {
  const Ended ended = run({"run", "/nowhere/m.onnx"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "cppgen: model '/nowhere/m.onnx' not found: no such file or directory\n");
}

TEST_F(Options, WhatIsNoModelIsTheUsersError) {
  const std::string file = folder.write("text.onnx", "hello");
  for (const char* command : {"run", "inspect", "explain"}) {
    const Ended ended = run({command, file});
    EXPECT_EQ(ended.status, 2) << command;
    EXPECT_NE(ended.err.find("text.onnx"), std::string::npos) << ended.err;
  }
}

TEST_F(Options, SettingsComeAsOptions) {
  const Ended unknown = run({"config", "--set", "TREADS=2"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.err, "cppgen: unknown setting \"TREADS\"; the nearest known name is THREADS\n");
  EXPECT_EQ(run({"config", "--set", "THREADS"}).err,
            "cppgen: --set THREADS: expected NAME=VALUE, as in --set THREADS=2\n");
  const Ended both = run({"config", "--threads", "2", "--set", "THREADS=3"});
  EXPECT_EQ(both.status, 2);
  EXPECT_EQ(both.err, "cppgen: --threads 2 and --set THREADS=3 disagree: give one of them\n");
  EXPECT_EQ(run({"config", "--threads", "0"}).status, 2);
}

TEST_F(Options, UnknownVariablesAreWarnedAbout) {
  environment["CPPGEN_TREADS"] = "2";
  const Ended ended = run({"config"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.err.find("CPPGEN_TREADS"), std::string::npos) << ended.err;
}

TEST_F(Options, ListsOfPairsMayShareOneOption) {
  const std::string model = symbolic_model();
  EXPECT_EQ(run({"run", model, "--reference", "--dim", "N=2"}).status, 0);
  EXPECT_EQ(run({"run", "--reference", "--dim", "N=2", model}).status, 0);
  EXPECT_EQ(run({"run", model, "--reference", "--dim", "x.1=M", "N=2", "M=3"}).status, 0);
  const Ended bad = run({"run", model, "--dim", "N"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("dimension option \"N\""), std::string::npos) << bad.err;
}

}  // namespace
}  // namespace cppgen
