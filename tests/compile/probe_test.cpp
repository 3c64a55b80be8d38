#include "cppgen/compile/probe.h"

#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

class ProbeTest : public CompileTest {
 protected:
  ProbeResult run(const IsaProbe& probe, const std::string& cache) {
    return vec_isa_ok(probe, Toolchain::find(cxx_), runner_, cache);
  }
  std::string cxx_ = "g++";
  PosixProcessRunner runner_;
};

TEST_F(ProbeTest, BaselineRunsAndTheAnswerIsKept) {
  const IsaProbe probe{"scalar", {}, "this machine", ""};
  ProbeResult result = run(probe, path("cache"));
  EXPECT_TRUE(result.ok) << result.reason;
  EXPECT_FALSE(result.from_cache);
  EXPECT_EQ(runner_.started(), 2) << "compiler and program";
  result = run(probe, path("cache"));
  EXPECT_TRUE(result.ok && result.from_cache);
  EXPECT_EQ(runner_.started(), 2);
  run({"scalar", {}, "another machine", ""}, path("cache"));
  EXPECT_EQ(runner_.started(), 4);
  run({"scalar", {"-mavx"}, "this machine", "int main() {}"}, path("cache"));
  EXPECT_EQ(runner_.started(), 6);
}

TEST_F(ProbeTest, IllegalInstructionsAreRemembered) {
  const IsaProbe probe{"future", {}, "m", "int main() { __builtin_trap(); }"};
  ProbeResult result = run(probe, path("cache"));
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.reason, "the probe program was killed by signal 4 (Illegal instruction)");
  result = run(probe, path("cache"));
  EXPECT_TRUE(result.from_cache);
  EXPECT_EQ(result.reason, "the probe program was killed by signal 4 (Illegal instruction)");
}

TEST_F(ProbeTest, WrongResultsAreARefusal) {
  EXPECT_EQ(run({"x", {}, "m", "int main() { return 7; }"}, "").reason, "the probe program exited with status 7");
}

TEST_F(ProbeTest, ACompilerThatRefusesIsAskedAgain) {
  const IsaProbe probe{"future", {"-mno-such-isa"}, "m", ""};
  const ProbeResult result = run(probe, path("cache"));
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.reason.starts_with("the compiler exited with status 1: ")) << result.reason;
  EXPECT_NE(result.reason.find("-mno-such-isa"), std::string::npos);
  EXPECT_FALSE(run(probe, path("cache")).from_cache);
}

TEST_F(ProbeTest, TheLinkersOwnMessageIsTheReason) {
  cxx_ = fake_compiler(
      "echo '/usr/bin/ld: cannot open crt1.o: Too many open files' >&2\n"
      "echo 'collect2: error: ld returned 1 exit status' >&2\nexit 1");
  EXPECT_EQ(run({"scalar", {}, "m", ""}, path("cache")).reason,
            "the compiler exited with status 1: /usr/bin/ld: cannot open crt1.o: Too many open files");
}

TEST_F(ProbeTest, GarbageProgramAndGarbageAnswer) {
  const IsaProbe probe{"scalar", {}, "m", ""};
  cxx_ = fake_compiler("echo junk > probe");
  EXPECT_FALSE(run(probe, path("cache")).ok);
  cxx_ = "g++";
  EXPECT_TRUE(run(probe, path("cache")).ok);
  for (const auto& file : std::filesystem::directory_iterator(path("cache/probes"))) {
    ASSERT_EQ(write_file(file.path(), "maybe"), 0);
  }
  const ProbeResult again = run(probe, path("cache"));
  EXPECT_TRUE(again.ok);
  EXPECT_FALSE(again.from_cache);
}

}  // namespace
}  // namespace cppgen
