// Several processes at one cache, and processes killed in the middle.
#include <sys/wait.h>

#include <csignal>

#include "cppgen/support/file_lock.h"
#include "tests/compile/fixture.h"
#include "tests/support/running_time.h"

namespace cppgen {
namespace {

class ProcessFaults : public CompileTest {
 protected:
  // A child that builds `jobs` and exits with 0 when all results are right (value = position + 1).
  pid_t build_in_child(const std::vector<CompileJob>& jobs) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    bool ok = false;
    try {
      const auto built = build_kernels(jobs, options_);
      ok = true;
      for (size_t i = 0; i < built.size(); ++i) ok = ok && call_kernel(built[i]) == static_cast<int>(i) + 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(ok ? 0 : 1);
  }

  static int exit_status(pid_t child) {
    int status;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
};

TEST_F(ProcessFaults, RacingProcessesBuildOnce) {
  options_.cxx = fake_compiler("sleep 0.5; exec g++ \"$@\"");
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(build_in_child({job("one", 1)}));
  for (const pid_t child : children) EXPECT_EQ(exit_status(child), 0);
  EXPECT_EQ(starts(), 1);
}

TEST_F(ProcessFaults, RacingProcessesShareTheWork) {
  options_.cxx = fake_compiler("sleep 0.3; exec g++ \"$@\"");
  options_.compile_threads = 1;
  std::vector<CompileJob> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(job("k" + std::to_string(i), i + 1));
  const pid_t first = build_in_child(jobs), second = build_in_child(jobs);
  EXPECT_EQ(exit_status(first), 0);
  EXPECT_EQ(exit_status(second), 0);
  EXPECT_EQ(starts(), 6);
}

TEST_F(ProcessFaults, ThreadsExcludeEachOtherToo) {
  options_.cxx = fake_compiler("sleep 0.3; exec g++ \"$@\"");
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(call_kernel(build_kernels({job("one", 1)}, options_)[0]), 1); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(starts(), 1);
}

TEST_F(ProcessFaults, ALockHeldTooLongIsIgnored) {
  options_.cxx = counting_compiler();
  options_.file_lock_timeout = 1;
  KernelBuilder builder(options_);
  const auto lock = builder.cache()->try_build_lock(builder.key_of(job("one", 1)));
  ASSERT_EQ(lock.outcome, LockOutcome::locked);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(call_kernel(builder.build({job("one", 1)})[0]), 1);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_EQ(starts(), 1);
}

TEST_F(ProcessFaults, WaitingForALockLetsOtherJobsGoOn) {
  options_.cxx = counting_compiler();
  KernelBuilder builder(options_);
  auto lock = builder.cache()->try_build_lock(builder.key_of(job("one", 1)));
  ASSERT_EQ(lock.outcome, LockOutcome::locked);
  std::thread releaser([&] {
    EXPECT_TRUE(eventually([&] { return starts() == 1; })) << "the second job does not wait for the first";
    lock.lock.reset();
  });
  const auto built = builder.build({job("one", 1), job("two", 2)});
  releaser.join();
  EXPECT_EQ(call_kernel(built[0]), 1);
  EXPECT_EQ(call_kernel(built[1]), 2);
}

TEST_F(ProcessFaults, KilledBuilderLeavesNothingThatMatters) {
  // Killed while the compiler runs: it holds the lock, its folder holds half an object.
  options_.cxx = fake_compiler("echo half > $out; touch " + path("running") + "; sleep 600; exec g++ \"$@\"");
  const std::string before = system_temp_directory();
  ASSERT_EQ(make_directories(path("tmp")), 0);
  ASSERT_EQ(::setenv("TMPDIR", path("tmp").c_str(), 1), 0);
  const pid_t child = build_in_child({job("one", 1)});
  ASSERT_TRUE(eventually([&] { return file_exists(path("running")); }));
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_EQ(exit_status(child), 1000 + SIGKILL);
  EXPECT_FALSE(std::filesystem::is_empty(path("tmp")));
  options_.cxx = fake_compiler("exec g++ \"$@\"");
  options_.file_lock_timeout = 60;
  {
    const RunningTime time;
    const auto built = build_kernels({job("one", 1)}, options_);
    EXPECT_LT(time.seconds(), 20) << "no waiting for the dead";
    EXPECT_FALSE(built[0].from_cache);
    EXPECT_EQ(call_kernel(built[0]), 1);
  }
  EXPECT_TRUE(std::filesystem::is_empty(path("tmp"))) << "its folder was removed";
  ASSERT_EQ(::setenv("TMPDIR", before.c_str(), 1), 0);
}

TEST_F(ProcessFaults, KilledAtAnyMomentTheNextBuildIsRight) {
  options_.cxx = "g++";
  for (int round = 0; round < 12; ++round) {
    const CompileJob unit = job("one", 1);
    const pid_t child = build_in_child({unit});
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * round));
    ::kill(child, SIGKILL);
    exit_status(child);
    const auto built = build_kernels({unit}, options_);
    EXPECT_EQ(call_kernel(built[0]), 1);
    KernelCache(options_.cache_dir).clear();
  }
  KernelCache cache(options_.cache_dir);
  EXPECT_TRUE(std::filesystem::is_empty(path("cache/tmp"))) << "opening the cache removes what the killed left";
}

TEST_F(ProcessFaults, KilledCompilerWhileOthersWait) {
  // The first builder's compiler dies; the second builder, waiting for its lock, builds by itself.
  options_.cxx = fake_compiler("if mkdir " + path("first") +
                               " 2>/dev/null; then sleep 0.5; kill -KILL $$; fi; "
                               "exec g++ \"$@\"");
  const pid_t first = build_in_child({job("one", 1)});
  ASSERT_TRUE(eventually([&] { return file_exists(path("first")); }));
  const pid_t second = build_in_child({job("one", 1)});
  EXPECT_EQ(exit_status(first), 1);
  EXPECT_EQ(exit_status(second), 0);
  EXPECT_EQ(starts(), 2);
}

}  // namespace
}  // namespace cppgen
