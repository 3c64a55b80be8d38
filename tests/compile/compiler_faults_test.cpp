// Compilers that fail, lie, hang or die.
#include <csignal>

#include "cppgen/compile/compile_pool.h"
#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

using Kind = CompileFailure;

class CompilerFaults : public CompileTest {
 protected:
  CompileError run(const std::string& script) {
    options_.cxx = fake_compiler(script);
    options_.compile_threads = 1;
    return error_of({job("one", 1)}, options_);
  }
};

bool contains(const std::exception& error, const std::string& text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

TEST_F(CompilerFaults, ErrorsShowOutputCommandAndSource) {
  CompileJob wrong = job("wrong", 1);
  wrong.source = "int f( {\n";
  const auto error = error_of<RefusedSource>({wrong}, options_);
  EXPECT_EQ(error.kind, Kind::failed);
  EXPECT_TRUE(std::string(error.what())
                  .starts_with("the compiler of kernel unit 'wrong' exited with status 1; a "
                               "trivial source builds with the same command, so the emitted "
                               "source is to blame\n"));
  EXPECT_TRUE(contains(error, "  source: " + error.source_path + "\n"));
  EXPECT_TRUE(contains(error, "kernel.cpp:1:"));
  EXPECT_EQ(read_file(error.source_path), wrong.source);
  EXPECT_TRUE(error.source_path.starts_with(path("cache/failed/")));
}

TEST_F(CompilerFaults, TheCommandInTheMessageCanBeRun) {
  options_.cache_dir.clear();
  CompileJob wrong = job("wrong", 1);
  wrong.source = "#include \"runtime/abi/abi.h\"\nint f( {\n";
  const auto error = error_of<RefusedSource>({wrong}, options_);
  const std::string text = error.what();
  const size_t begin = text.find("command: ") + 9;
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = split_command(text.substr(begin, text.find('\n', begin) - begin));
  const ProcessResult result = runner.run(spec);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.output.find(error.source_path + ":2:"), std::string::npos) << result.output;
  std::string headers;
  for (const std::string& word : spec.argv) {
    if (word.starts_with("-I")) headers = word.substr(2);
  }
  EXPECT_NE(headers.find("cppgen_failed-"), std::string::npos);
  remove_tree(headers);
  remove_tree(parent_directory(error.source_path));
}

TEST_F(CompilerFaults, OutputIsCutToItsFirstLines) {
  const CompileError error = run("i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line $i; done; exit 2");
  EXPECT_TRUE(contains(error, "exited with status 2"));
  EXPECT_TRUE(contains(error, "    line 20\n    ...\n"));
  EXPECT_FALSE(contains(error, "line 21"));
}

// Its processes take as long as a test says, by no clock.
class ToldRunner : public ProcessRunner {
 public:
  explicit ToldRunner(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
  int start(const ProcessSpec& spec) override {
    started_specs.push_back(spec);
    return int(started_specs.size()) - 1;
  }
  std::optional<Completion> wait_any(double) override {
    const int id = int(started_specs.size()) - 1;
    const double limit = started_specs.back().timeout_seconds, takes = seconds_.at(size_t(id));
    ProcessResult result;
    result.end = takes < limit ? ProcessResult::End::exited : ProcessResult::End::timed_out;
    result.seconds = std::min(takes, limit);
    return Completion{id, result};
  }
  void kill_all() override {}
  int64_t started() const override { return int64_t(started_specs.size()); }

  std::vector<ProcessSpec> started_specs;

 private:
  std::vector<double> seconds_;
};

TEST_F(CompilerFaults, HangsAreErrorsThatNameTheLimit) {
  options_.compile_timeout_seconds = 20;
  ToldRunner runner({1000});
  try {
    KernelBuilder(options_, &runner).build({job("one", 1)});
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_EQ(error.kind, Kind::timed_out);
    EXPECT_TRUE(contains(error, "(the limit is 20 s: CPPGEN_COMPILE_TIMEOUT_SECONDS)")) << error.what();
  }
}

// A launcher and a linker share the time of their unit.
TEST_F(CompilerFaults, TheLimitCoversCompilingAndLinking) {
  const std::string compiler = fake_compiler("exec g++ \"$@\"");
  const Toolchain toolchain = Toolchain::find(fake_compiler("exec \"$@\"", "ccache") + " " + compiler);
  ToldRunner runner({1.5, 100});
  CompilePool pool(runner, toolchain, {1, 2, {}});
  pool.start(7, job("one", 1), {"-O1"}, path(""), "one");
  EXPECT_FALSE(pool.wait(0)) << "it is to be linked";
  ASSERT_EQ(runner.started(), 2);
  EXPECT_DOUBLE_EQ(runner.started_specs[0].timeout_seconds, 2);
  EXPECT_DOUBLE_EQ(runner.started_specs[1].timeout_seconds, 0.5);
  EXPECT_EQ(runner.started_specs[1].argv[0], compiler);
  const auto finished = pool.wait(0);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->id, 7u);
  EXPECT_EQ(finished->error, Kind::timed_out);
  EXPECT_DOUBLE_EQ(finished->seconds, 2);
  EXPECT_NE(finished->message.find("was stopped after 2"), std::string::npos) << finished->message;
  EXPECT_EQ(finished->command[0], compiler);
}

TEST_F(CompilerFaults, AFailingLauncherIsNamed) {
  const std::string launcher = fake_compiler("echo no space for objects; exit 1", "ccache");
  options_.cxx = launcher + " g++";
  const CompileError error = error_of({job("one", 1)}, options_);
  EXPECT_TRUE(contains(error, "exited with status 1, started by '" + launcher + "' (CPPGEN_CXX)\n")) << error.what();
  EXPECT_TRUE(contains(error, "no space for objects"));
}

TEST_F(CompilerFaults, CrashesAreNamed) {
  const CompileError error = run("kill -SEGV $$");
  EXPECT_EQ(error.kind, Kind::crashed);
  EXPECT_TRUE(contains(error, "was killed by signal 11 (Segmentation fault)"));
}

TEST_F(CompilerFaults, KillsFromOutsideAreNoCrashes) {
  const CompileError error = run("kill -KILL $$");
  EXPECT_EQ(error.kind, Kind::interrupted);
  EXPECT_TRUE(contains(error, "was killed by signal 9 (Killed)"));
  EXPECT_EQ(run("exit 143").kind, Kind::interrupted);
}

TEST_F(CompilerFaults, AKilledCompilerProperIsNoVerdict) {
  // The driver g++ survives and reports its child's death.
  const CompileError error = run("g++ \"$@\" -wrapper sh,-c,'kill -KILL $$'");
  EXPECT_EQ(error.kind, Kind::interrupted);
  EXPECT_TRUE(contains(error, "Killed")) << error.what();
}

TEST_F(CompilerFaults, GarbageIsNeverAccepted) {
  EXPECT_TRUE(contains(run("exit 0"), "reported success, but did not write an object"));
  EXPECT_TRUE(contains(run(": > $out"), "its object is unusable: it is empty"));
  const CompileError garbage = run("head -c 10000 /dev/urandom > $out");
  EXPECT_EQ(garbage.kind, Kind::bad_output);
  EXPECT_TRUE(contains(garbage, "it is not an ELF file"));
  EXPECT_TRUE(contains(run("g++ \"$@\" && truncate -s 3000 $out"), "its object is unusable: it is truncated"));
  EXPECT_TRUE(contains(run("echo 'int other;' > kernel.cpp; g++ \"$@\""), "its object lacks the symbol 'one'"));
  EXPECT_TRUE(contains(run("g++ -c -o $out kernel.cpp"), "it is not a shared object"));
  options_.cxx = "g++";
  const auto built = build_kernels({job("one", 1)}, options_);
  EXPECT_FALSE(built[0].from_cache) << "nothing of it was stored";
  EXPECT_EQ(call_kernel(built[0]), 1);
}

TEST_F(CompilerFaults, ForeignSymbolsAreRefused) {
  CompileJob foreign = job("one", 1);
  foreign.source = "extern \"C\" double sin(double);\n" + foreign.source +
                   "extern \"C\" __attribute__((visibility(\"default\"))) double f(double x) { return sin(x); }\n";
  const auto error = error_of<RefusedSource>({foreign}, options_);
  EXPECT_EQ(error.kind, Kind::undefined_symbols);
  EXPECT_TRUE(contains(error, "its object requires 'sin'; a kernel may require only memcmp, memcpy, memmove, memset"));
}

// What refuses a trivial source too, or stops for want of memory or space, is not our source's fault.
TEST_F(CompilerFaults, CompilersAndMachinesAreBlamedForWhatIsTheirs) {
  CompileJob wrong = job("wrong", 1);
  wrong.source = "int f( {\n";
  options_.cxx = "g++ -fno-such-option";
  EXPECT_TRUE(contains(error_of<CompileError>({job("one", 1)}, options_), "no-such-option"));
  EXPECT_EQ(error_of<CompileError>({wrong}, options_).kind, Kind::failed);
  for (const char* output : {"kernel.cpp:1: fatal error: error writing to /tmp/x.s: No space left on device",
                             "cc1plus: out of memory allocating 65536 bytes", "/tmp/x.o: Cannot allocate memory"}) {
    options_.cxx = fake_compiler("grep -q cppgen_trivial kernel.cpp && exec g++ \"$@\"; echo '" + std::string(output) +
                                 "'; exit 1");
    EXPECT_TRUE(contains(error_of<CompileError>({wrong}, options_), output));
  }
  options_.cxx = fake_compiler("grep -q cppgen_trivial kernel.cpp && exec g++ \"$@\"; echo 'line 1: error'; exit 1");
  EXPECT_TRUE(contains(error_of<RefusedSource>({job("one", 1)}, options_), "line 1: error"));
}

TEST_F(CompilerFaults, TheTrivialSourceHasTheIncludesOfTheRefusedOne) {
  CompileJob foreign = job("one", 1);
  foreign.source = "#include \"vec/no_such_header.h\"\nint f( {\n";
  EXPECT_TRUE(contains(error_of<CompileError>({foreign}, options_), "no_such_header.h"));
}

TEST_F(CompilerFaults, TheFirstFailureStopsTheOthers) {
  options_.cxx = fake_compiler("grep -q 'bad\\|trivial' kernel.cpp && exit 1; exec sleep 600");
  options_.compile_threads = 2;
  EXPECT_EQ(error_of({job("bad_and_long_thus_first", 1), job("slow", 2), job("third", 3)}, options_).kind,
            Kind::failed);
  EXPECT_LE(starts(), 3) << "the third was started";
}

TEST_F(CompilerFaults, ASlowCompilerIsWaitedFor) {
  options_.cxx = fake_compiler("sleep 1; exec g++ \"$@\"");
  EXPECT_EQ(call_kernel(build_kernels({job("one", 1)}, options_)[0]), 1);
}

TEST_F(CompilerFaults, MissingCompilerNamesTheRemedy) {
  options_.cxx = "cppgen-no-such-compiler";
  try {
    KernelBuilder builder(options_);
    FAIL();
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'cppgen-no-such-compiler'"), std::string::npos);
    EXPECT_NE(text.find("apt-get install g++"), std::string::npos);
    EXPECT_NE(text.find("CPPGEN_CXX"), std::string::npos);
  }
}

}  // namespace
}  // namespace cppgen
