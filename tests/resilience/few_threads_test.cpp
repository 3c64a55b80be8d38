// Where the system refuses threads, everything works with fewer.
#include "cppgen/support/file_io.h"
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

// Such as descriptors: then the instruction set is not to blame, and none that is slower is chosen instead.
TEST_F(FewThreads, SurroundingsThatForbidTheProbeAreNamed) {
  environment.erase("LD_PRELOAD");
  environment["CPPGEN_CXX"] = folder.write("cxx", "#!/bin/sh\necho 'error: no more descriptors' >&2\nexit 1\n");
  std::filesystem::permissions(path("cxx"), std::filesystem::perms::owner_all);
  const Ended ended = run({"run", symbolic_model(), "--dim", "N=2"});
  EXPECT_EQ(ended.status, 2) << ended.err;
  EXPECT_NE(ended.err.find("instruction sets cannot be verified here"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("no more descriptors"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace cppgen
