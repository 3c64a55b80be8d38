// Where the system refuses threads, everything works with fewer; where it refuses processes or descriptors, too, the
// reason is named.
#include <sys/wait.h>

#include <cstdlib>

#include "cppgen/support/file_io.h"
#include "isa/vec_isa.h"
#include "tests/resilience/fixture.h"

namespace cppgen {
namespace {

class FewThreads : public Resilience {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers replace the same function";
#endif
    environment["LD_PRELOAD"] = CPPGEN_REFUSE_THREADS;
    environment["CPPGEN_THREADS"] = "4";
    environment.erase("CPPGEN_VEC_ISA_OK");  // the probe has a thread of its own
  }
  void permit(int threads) { environment["CPPGEN_TEST_THREADS"] = std::to_string(threads); }
};

TEST_F(FewThreads, ModelsAreCompiledAndRun) {
  folder.write("w.bin", floats(3));
  const std::string model = external_model();
  for (const int threads : {0, 1, 2, 3, 4, 6, 9}) {
    permit(threads);
    std::filesystem::remove_all(cache());
    EXPECT_EQ(first_output(model), 3) << threads;  // compiled
    EXPECT_EQ(first_output(model), 3) << threads;  // from the cache, whose weights are hashed
  }
}

TEST_F(FewThreads, EveryCommandEndsOrderly) {
  folder.write("w.bin", floats(3));
  const std::string model = external_model();
  for (const int threads : {0, 1, 3}) {
    permit(threads);
    for (const char* command : {"check", "explain", "bench", "profile"}) {
      const Ended ended = run({command, model});
      EXPECT_EQ(ended.status, 0) << command << " with " << threads << ": " << ended.err;
    }
    EXPECT_EQ(run({"run", model, "--reference"}).status, 0);
  }
  permit(0);
  const Ended clients = run({"bench", model, "--clients", "3"});
  EXPECT_EQ(clients.status, 2) << clients.err;
  EXPECT_NE(clients.err.find("--clients 3: the system refuses so many threads"), std::string::npos) << clients.err;
  environment["CPPGEN_PROGRESS"] = "1";
  EXPECT_EQ(run({"run", model, "--set", "RECOMPILE=1"}).status, 0);
}

// Descriptors are such surroundings: then the instruction set is not to blame, and none that is slower is chosen
// instead.
TEST_F(FewThreads, SurroundingsThatForbidTheProbeAreNamed) {
  environment.erase("LD_PRELOAD");
  environment["CPPGEN_CXX"] = folder.write("cxx", "#!/bin/sh\necho 'error: no more descriptors' >&2\nexit 1\n");
  std::filesystem::permissions(path("cxx"), std::filesystem::perms::owner_all);
  const Ended ended = run({"run", symbolic_model(), "--dim", "N=2"});
  EXPECT_EQ(ended.status, 2) << ended.err;
  EXPECT_NE(ended.err.find("instruction sets cannot be verified here"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("no more descriptors"), std::string::npos) << ended.err;
  environment["CPPGEN_ISA"] = "avx2";
  const Ended named = run({"run", symbolic_model(), "--dim", "N=2"});
  EXPECT_EQ(named.status, 2) << named.err;
  EXPECT_NE(named.err.find("not even the one that every machine has"), std::string::npos) << named.err;
}

// A limit that the first compiler alone reaches, because of what runs at the same time.
TEST_F(FewThreads, ALimitThatIsReachedForAMomentCostsNoInstructionSet) {
  environment.erase("LD_PRELOAD");
  const std::string script = fmt::format(
      "#!/bin/sh\n"
      "case \"$*\" in *probe.cpp*) mkdir '{}' 2>/dev/null && echo 'vfork: no more processes' >&2 && exit 1;; esac\n"
      "exec g++ \"$@\"\n",
      path("reached"));
  environment["CPPGEN_CXX"] = folder.write("cxx", script);
  std::filesystem::permissions(path("cxx"), std::filesystem::perms::owner_all);
  const Ended ended = run({"run", symbolic_model(), "--dim", "N=2"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err.find("trying the next one"), std::string::npos) << ended.err;
  EXPECT_TRUE(std::filesystem::exists(path("reached")) || best_isa(detect_cpu_features()).lanes == 1);
}

// Too few descriptors (ulimit -n): each command does its work, or ends with the reason.
TEST_F(FewThreads, FewDescriptors) {
  environment.erase("LD_PRELOAD");
  const std::string model = symbolic_model();
  EXPECT_EQ(run({"run", model, "--dim", "N=2"}).status, 0);
  for (int descriptors = 4; descriptors <= 11; descriptors++)
    for (const std::string command : {"run", "compile", "bench", "config"}) {
      SCOPED_TRACE(fmt::format("{} with {}", command, descriptors));
      // The shell itself needs more descriptors to redirect.
      std::string text = fmt::format("exec > /dev/null 2> '{}'; ulimit -n {}; exec env", path("err"), descriptors);
      for (const auto& [name, value] : environment) text += fmt::format(" '{}={}'", name, value);
      text += fmt::format(" '{}' {}", CPPGEN_PROGRAM, command);
      if (command != "config") text += fmt::format(" '{}' --dim N=2", model);
      if (command == "compile") text += fmt::format(" -o '{}'", path("out.package"));
      const int status = std::system(text.c_str());
      const std::string err = read_file(path("err"));
      // Descriptors that this process was given leave the loader none.
      if (err.find("error while loading shared libraries") != std::string::npos) continue;
      EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2)) << status << " " << err;
      if (status != 0) EXPECT_NE(err.find("Too many open files"), std::string::npos) << err;
    }
}

}  // namespace
}  // namespace cppgen
