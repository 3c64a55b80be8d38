#include "cppgen/support/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <thread>

#include "cppgen/support/file_io.h"
#include "cppgen/support/lifeline.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

using End = ProcessResult::End;

ProcessSpec shell(const std::string& script, double timeout = 30) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.timeout_seconds = timeout;
  return spec;
}

bool eventually(auto condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// A process that ended but whose new parent has not looked yet still answers kill(pid, 0).
bool is_running(pid_t pid) {
  const auto stat = try_read_file("/proc/" + std::to_string(pid) + "/stat");
  return stat && stat->find(") Z") == std::string::npos;
}

TEST(Subprocess, StatusAndBothOutputs) {
  PosixProcessRunner runner;
  const ProcessResult result = runner.run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.end, End::exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(result.describe(), "exited with status 3");
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(runner.started(), 1);
}

TEST(Subprocess, ArgumentsPassUninterpreted) {
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = {"/bin/echo", "$HOME", "a b", "*", ";id"};
  EXPECT_EQ(runner.run(spec).output, "$HOME a b * ;id\n");
}

TEST(Subprocess, EnvironmentFolderAndInput) {
  PosixProcessRunner runner;
  ASSERT_EQ(::setenv("CPPGEN_TEST_GONE", "1", 1), 0);
  ProcessSpec spec = shell("pwd; echo ${CPPGEN_TEST_SET-unset} ${CPPGEN_TEST_GONE-unset}; cat");
  spec.working_directory = "/";
  spec.environment = {{"CPPGEN_TEST_SET", "v w"}, {"CPPGEN_TEST_GONE", std::nullopt}};
  EXPECT_EQ(runner.run(spec).output, "/\nv w unset\n") << "cat reads an empty input";
  ASSERT_EQ(::unsetenv("CPPGEN_TEST_GONE"), 0);
}

TEST(Subprocess, InheritsNoOtherDescriptor) {
  PosixProcessRunner runner;
  const FileDescriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const FileDescriptor leak(::fcntl(file.get(), F_DUPFD, Lifeline::kDescriptor + 1));  // without O_CLOEXEC
  ASSERT_TRUE(leak);
  EXPECT_EQ(runner.run(shell("test -e /proc/self/fd/" + std::to_string(leak.get()) + " && echo open")).output, "");
}

TEST(Subprocess, MissingProgramIsNamed) {
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = {"/nonexistent/program"};
  try {
    runner.run(spec);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "cannot start '/nonexistent/program': No such file or directory");
  }
  EXPECT_EQ(runner.started(), 0);
}

TEST(Subprocess, OutputIsBoundedAndNeverBlocks) {
  PosixProcessRunner runner;
  ProcessSpec spec = shell("yes abcdefg | head -c 5000000");
  spec.max_output_bytes = 1000;
  const ProcessResult result = runner.run(spec);
  EXPECT_TRUE(result.ok());
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.output.size(), 1000u);
}

TEST(Subprocess, SignalsAreTold) {
  PosixProcessRunner runner;
  const ProcessResult result = runner.run(shell("kill -SEGV $$"));
  EXPECT_EQ(result.end, End::signaled);
  EXPECT_EQ(result.code, SIGSEGV);
  EXPECT_EQ(result.describe(), "was killed by signal 11 (Segmentation fault)");
}

// With more time where the machine is too slow for the first words of the process.
TEST(Subprocess, TimeoutKillsGrandchildren) {
  PosixProcessRunner runner;
  ProcessResult result;
  for (double limit = 0.3; result.output.empty() && limit < 100; limit *= 4) {
    result = runner.run(shell("sleep 1000 & echo $!; sleep 1000", limit));
    EXPECT_EQ(result.end, End::timed_out);
    EXPECT_GE(result.seconds, limit);
  }
  const pid_t grandchild = std::stoi(result.output);
  EXPECT_TRUE(eventually([&] { return !is_running(grandchild); }));
}

TEST(Subprocess, EndlessOutputStillMeetsItsDeadline) {
  PosixProcessRunner runner;
  EXPECT_EQ(runner.run(shell("yes", 0.3)).end, End::timed_out);
}

TEST(Subprocess, AChildThatKeepsTheOutputOpenDelaysNobody) {
  PosixProcessRunner runner;
  const ProcessResult result = runner.run(shell("sleep 1000 & echo $!"));
  EXPECT_TRUE(result.ok());
  const pid_t child = std::stoi(result.output);
  EXPECT_TRUE(is_running(child));
  ::kill(child, SIGKILL);
}

TEST(Subprocess, ManyAtOnceInOrderOfTheirEnd) {
  const TempDirectory dir(system_temp_directory(), "cppgen-test-");
  const std::string told = dir.path() + "/told";
  PosixProcessRunner runner;
  const int slow = runner.start(shell("while ! [ -e " + told + " ]; do sleep 0.01; done; echo slow"));
  const int fast = runner.start(shell("echo fast"));
  auto first = runner.wait_any(30);
  ASSERT_EQ(write_file(told, ""), 0);
  auto second = runner.wait_any(30);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->id, fast);
  EXPECT_EQ(second->id, slow);
  EXPECT_EQ(second->result.output, "slow\n");
  EXPECT_FALSE(runner.wait_any(30)) << "nothing runs: no waiting";
}

TEST(Subprocess, WaitingEndsWithItsTime) {
  PosixProcessRunner runner;
  runner.start(shell("sleep 1000"));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(runner.wait_any(0.1));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
}

TEST(Subprocess, DestructionKillsWhatRuns) {
  const TempDirectory dir(system_temp_directory(), "cppgen-test-");
  const std::string pid_file = dir.path() + "/pid";
  {
    PosixProcessRunner runner;
    runner.start(shell("sleep 100 & echo $! > " + pid_file + ".new; mv " + pid_file + ".new " + pid_file + "; wait"));
    ASSERT_TRUE(eventually([&] { return ::access(pid_file.c_str(), F_OK) == 0; }));
  }
  const pid_t grandchild = std::stoi(read_file(pid_file));
  EXPECT_TRUE(eventually([&] { return !is_running(grandchild); }));
}

}  // namespace
}  // namespace cppgen
