#include "cppgen/support/temp_directory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "cppgen/support/file_lock.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

TEST(TempDirectory, IsPrivateAndGoesWithItsOwner) {
  std::string path;
  {
    const TempDirectory dir(system_temp_directory(), "cppgen-test-");
    path = dir.path();
    struct stat st;
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777, 0700u);
    ASSERT_EQ(write_file(path + "/f", "x"), 0);
  }
  EXPECT_FALSE(exists(path));
}

// Where no descriptor is left, the directory cannot be kept, and is removed.
TEST(TempDirectory, DescriptorsThatAreUsedUpAreTheReason) {
  const TempDirectory parent(system_temp_directory(), "cppgen-test-");
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string message;
  try {
    TempDirectory(parent.path(), "x-");
  } catch (const UserError& error) {
    message = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NE(message.find("Too many open files"), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

TEST(TempDirectory, MissingParentIsNamed) {
  try {
    TempDirectory("/nonexistent-parent", "x-");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "cannot create a temporary directory in '/nonexistent-parent': No such file or directory (set TMPDIR "
                 "to choose another place)");
  }
}

TEST(TempDirectory, CleaningSparesTheLiving) {
  const TempDirectory parent(system_temp_directory(), "cppgen-test-");
  const TempDirectory alive(parent.path(), "work-");
  TempDirectory kept(parent.path(), "work-");
  const std::string kept_path = kept.keep_as("kept-");
  EXPECT_EQ(remove_stale_temp_directories(parent.path(), "work-"), 0);
  EXPECT_TRUE(exists(alive.path()));
  EXPECT_TRUE(exists(kept_path));
}

TEST(TempDirectory, CleaningRemovesWhatAKilledProcessLeft) {
  const TempDirectory parent(system_temp_directory(), "cppgen-test-");
  const pid_t child = ::fork();
  if (child == 0) {
    const TempDirectory dir(parent.path(), "work-");
    (void)write_file(dir.path() + "/f", "x");
    ::kill(::getpid(), SIGKILL);
  }
  int status;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_NE(std::filesystem::directory_iterator(parent.path()), std::filesystem::directory_iterator());
  EXPECT_EQ(remove_stale_temp_directories(parent.path(), "work-"), 1);
  EXPECT_EQ(std::filesystem::directory_iterator(parent.path()), std::filesystem::directory_iterator());
}

TEST(LockFile, ExcludesOthersAndVanishes) {
  const TempDirectory dir(system_temp_directory(), "cppgen-test-");
  const std::string path = dir.path() + "/l.lock";
  {
    const auto first = LockFile::try_acquire(path);
    ASSERT_EQ(first.outcome, LockOutcome::locked);
    EXPECT_EQ(LockFile::try_acquire(path).outcome, LockOutcome::busy);
  }
  EXPECT_FALSE(exists(path));
  EXPECT_EQ(LockFile::try_acquire(path).outcome, LockOutcome::locked);
  EXPECT_EQ(LockFile::try_acquire(dir.path() + "/absent/l.lock").outcome, LockOutcome::unsupported);
}

TEST(LockFile, DiesWithItsHolder) {
  const TempDirectory dir(system_temp_directory(), "cppgen-test-");
  const std::string path = dir.path() + "/l.lock";
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = LockFile::try_acquire(path);
    ::kill(::getpid(), SIGKILL);
  }
  int status;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(exists(path));
  EXPECT_EQ(LockFile::try_acquire(path).outcome, LockOutcome::locked);
}

// The reaction to a signal during the object's lifetime.
class Reaction {
 public:
  Reaction(int signal, void (*handler)(int)) : signal_(signal) {
    struct sigaction action = {};
    action.sa_handler = handler;
    EXPECT_EQ(sigaction(signal, &action, &previous_), 0);
  }
  ~Reaction() { sigaction(signal_, &previous_, nullptr); }

 private:
  const int signal_;
  struct sigaction previous_;
};

TEST(Interrupt, FirstSignalSetsTheTokenAndRestoresTheOldReaction) {
  // A shell starts programs in the background, and so perhaps this one, with SIGINT ignored.
  const Reaction interrupt(SIGINT, SIG_DFL), termination(SIGTERM, SIG_DFL), hangup(SIGHUP, SIG_IGN);
  CancelToken token;
  {
    const ScopedSignalCancel scope(token, "test");
    EXPECT_THROW((ScopedSignalCancel{token, "test"}), InternalError) << "one at a time";
    ASSERT_EQ(::raise(SIGHUP), 0);
    EXPECT_FALSE(token.cancelled()) << "a signal that was ignored stays ignored";
    ASSERT_EQ(::raise(SIGINT), 0);
    EXPECT_TRUE(token.cancelled());
    EXPECT_EQ(token.signal(), SIGINT);
  }
  struct sigaction now;
  ASSERT_EQ(sigaction(SIGINT, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  CancelToken again;
  const ScopedSignalCancel scope(again, "test");
  ASSERT_EQ(::raise(SIGTERM), 0);
  EXPECT_TRUE(again.cancelled());
}

}  // namespace
}  // namespace cppgen
