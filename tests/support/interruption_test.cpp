#include "cppgen/support/interruption.h"

#include <gtest/gtest.h>

#include <csignal>

namespace cppgen {
namespace {

ProcessResult shell(const std::string& script) {
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  return runner.run(spec);
}

TEST(Interruption, SignalsOfOthersAreNoFaultsOfAProgram) {
  for (const char* sent : {"KILL", "TERM", "HUP", "INT", "USR1"})
    EXPECT_TRUE(was_interrupted(shell(std::string("kill -") + sent + " $$"))) << sent;
  for (const char* own : {"SEGV", "ABRT", "FPE", "ILL", "BUS"})
    EXPECT_FALSE(was_interrupted(shell(std::string("kill -") + own + " $$"))) << own;
}

TEST(Interruption, ShellsTellOfSignals) {
  EXPECT_TRUE(was_interrupted(shell("sh -c 'kill -KILL $$'; exit $?")));
  EXPECT_TRUE(was_interrupted(shell("exit 143")));
  EXPECT_FALSE(was_interrupted(shell("exit 139"))) << "SIGSEGV";
  EXPECT_FALSE(was_interrupted(shell("exit 1")));
  EXPECT_FALSE(was_interrupted(shell("exit 0")));
}

TEST(Interruption, CompilersSayWhatTheyLacked) {
  for (const char* text :
       {"g++: fatal error: Killed signal terminated program cc1plus", "cc1plus: out of memory allocating 65536 bytes",
        "/usr/bin/ld: final link failed: No space left on device",
        "g++: fatal error: cannot execute cc1plus: vfork: Resource temporarily unavailable"}) {
    EXPECT_TRUE(was_interrupted(shell(std::string("echo '") + text + "'; exit 1"))) << text;
    EXPECT_FALSE(was_interrupted(shell(std::string("echo '") + text + "'"))) << "it succeeded";
  }
  EXPECT_FALSE(was_interrupted(shell("echo \"kernel.cpp:3: error: expected ';'\"; exit 1")));
  EXPECT_FALSE(was_interrupted(shell("echo 'internal compiler error: Segmentation fault'; exit 4")));
}

}  // namespace
}  // namespace cppgen
