// Directories that cannot be written: they cost a warning, never the build.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <cerrno>
#include <functional>

#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

constexpr uid_t kNobody = 65534;

class DiskFaults : public CompileTest {
 protected:
  // Runs `body` in a child process, because it gives up rights or mounts; its checks count here by the exit status.
  static void in_child(const std::function<void()>& body) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        body();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      std::fflush(nullptr);
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  void become_nobody() {
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
    ASSERT_EQ(::setgid(kNobody), 0);
    ASSERT_EQ(::setuid(kNobody), 0);
  }

  // Builds twice with one builder: right results, not from the cache, one warning with `reason`.
  void expect_uncached_build(const std::string& reason) {
    KernelBuilder builder(options_);
    for (int round = 0; round < 2; ++round) {
      const auto built = builder.build({job("one", 1), job("two", 2)});
      EXPECT_FALSE(built[0].from_cache);
      EXPECT_EQ(call_kernel(built[0]), 1);
      EXPECT_EQ(call_kernel(built[1]), 2);
    }
    ASSERT_EQ(builder.warnings().size(), 1u);
    EXPECT_NE(builder.warnings()[0].find(reason), std::string::npos) << builder.warnings()[0];
  }
};

TEST_F(DiskFaults, ReadOnlyDirectory) {
  in_child([&] {
    become_nobody();
    ASSERT_EQ(::mkdir(path("cache").c_str(), 0500), 0);
    expect_uncached_build("Permission denied");
    EXPECT_TRUE(std::filesystem::is_empty(path("cache")));
    ASSERT_EQ(::chmod(path("cache").c_str(), 0700), 0);
  });
}

TEST_F(DiskFaults, ReadOnlyDirectoryStillGivesItsEntries) {
  in_child([&] {
    become_nobody();
    build_kernels({job("one", 1)}, options_);
    for (const char* folder : {"cache", "cache/kernels", "cache/tmp", "cache/locks", "cache/include"}) {
      ASSERT_EQ(::chmod(path(folder).c_str(), 0500), 0);
    }
    KernelBuilder builder(options_);
    const auto built = builder.build({job("one", 1), job("two", 2)});
    EXPECT_TRUE(built[0].from_cache);
    EXPECT_FALSE(built[1].from_cache);
    EXPECT_EQ(call_kernel(built[1]), 2);
    for (const char* folder : {"cache", "cache/kernels", "cache/tmp", "cache/locks", "cache/include"}) {
      ASSERT_EQ(::chmod(path(folder).c_str(), 0700), 0);
    }
  });
}

TEST_F(DiskFaults, DirectoryThatCannotBeMade) {
  in_child([&] {
    become_nobody();
    ASSERT_EQ(::mkdir(path("parent").c_str(), 0500), 0);
    options_.cache_dir = path("parent/cache");
    expect_uncached_build("Permission denied");
    ASSERT_EQ(::chmod(path("parent").c_str(), 0700), 0);
  });
}

TEST_F(DiskFaults, FullFileSystem) {
  in_child([&] {
    ASSERT_EQ(::mkdir(path("small").c_str(), 0700), 0);
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 && ::mount("", "/", "", MS_REC | MS_PRIVATE, "") == 0 &&
                         ::mount("tmpfs", path("small").c_str(), "tmpfs", 0, "size=64k,mode=0700") == 0;
    if (!mounted) {
      const int error = errno;
      ASSERT_NE(::geteuid(), 0u) << "root must be able to mount: " << error_text(error);
      std::fprintf(stderr, "not run: mounting needs root (%s)\n", error_text(error).c_str());
      return;
    }
    // One page stays free: less than one object.
    options_.cache_dir = path("small/cache");
    ASSERT_EQ(make_private_directory(options_.cache_dir, "cache"), 0);
    const std::string filler(60 << 10, 'x');
    ASSERT_EQ(write_file(path("small/filler"), filler), 0);
    expect_uncached_build("No space left on device");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("small/cache"))) {
      EXPECT_FALSE(entry.is_regular_file()) << entry.path() << " was left behind";
    }
    // With room again the same cache works.
    ASSERT_EQ(::unlink(path("small/filler").c_str()), 0);
    EXPECT_EQ(::mount("", path("small").c_str(), "", MS_REMOUNT, "size=4m"), 0) << error_text(errno);
    build_kernels({job("one", 1)}, options_);
    EXPECT_TRUE(build_kernels({job("one", 1)}, options_)[0].from_cache);
    ::umount(path("small").c_str());
  });
}

TEST_F(DiskFaults, DamagedEntriesAreRebuilt) {
  options_.cxx = counting_compiler();
  build_kernels({job("one", 1)}, options_);
  const std::string file = entry_file(), good = read_file(file);
  std::string tampered = good;
  tampered[good.size() / 3] ^= 4;
  int expected = 1;
  for (const std::string& bad : {good.substr(0, good.size() / 2), std::string(), std::string("garbage"), tampered}) {
    ASSERT_EQ(write_file(file, bad), 0);
    const auto built = build_kernels({job("one", 1)}, options_);
    EXPECT_FALSE(built[0].from_cache);
    EXPECT_EQ(call_kernel(built[0]), 1);
    EXPECT_EQ(starts(), ++expected);
    EXPECT_TRUE(build_kernels({job("one", 1)}, options_)[0].from_cache);
  }
}

TEST_F(DiskFaults, AnotherKernelsEntryIsNotTaken) {
  const auto other = build_kernels({job("one", 99)}, options_);
  const auto built = build_kernels({job("one", 1)}, options_);
  std::filesystem::copy_file(other[0].path, built[0].path, std::filesystem::copy_options::overwrite_existing);
  const auto again = build_kernels({job("one", 1)}, options_);
  EXPECT_FALSE(again[0].from_cache);
  EXPECT_EQ(call_kernel(again[0]), 1);
}

}  // namespace
}  // namespace cppgen
