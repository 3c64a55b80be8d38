#include "cppgen/support/file_io.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

class FileIo : public testing::Test {
 protected:
  TempDirectory dir_{system_temp_directory(), "cppgen-test-"};
  std::string path(const std::string& name) const { return dir_.path() + "/" + name; }
};

std::string message_of(auto action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(FileIo, ReadsWhatWasWritten) {
  std::string bytes(100000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  ASSERT_EQ(write_file(path("f"), bytes), 0);
  EXPECT_EQ(read_file(path("f")), bytes);
  EXPECT_EQ(try_read_file(path("absent")), std::nullopt);
  EXPECT_EQ(try_read_file(dir_.path()), std::nullopt);
  EXPECT_FALSE(read_file("/proc/self/status").empty()) << "a file without a size";
  EXPECT_EQ(message_of([&] { read_file(path("absent")); }),
            "cannot read '" + path("absent") + "': No such file or directory");
}

TEST_F(FileIo, PublishReplacesWholeAndLeavesNothingBehind) {
  ASSERT_EQ(publish_file(path("f"), "old"), 0);
  ASSERT_EQ(publish_file(path("f"), "new content"), 0);
  EXPECT_EQ(read_file(path("f")), "new content");
  EXPECT_EQ(publish_file(path("absent/f"), "x"), ENOENT);
  ASSERT_EQ(::mkdir(path("folder").c_str(), 0700), 0);
  EXPECT_EQ(publish_file(path("folder"), "x"), EISDIR);
  const auto begin = std::filesystem::directory_iterator(dir_.path());
  EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 2) << "f and folder only";
}

TEST_F(FileIo, PrivateDirectoryIsMadeWithItsParents) {
  ASSERT_EQ(make_private_directory(path("a/b/c"), "the place"), 0);
  struct stat st;
  ASSERT_EQ(::stat(path("a/b/c").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700u);
  EXPECT_EQ(make_private_directory(path("a/b/c"), "the place"), 0) << "a second time";
}

TEST_F(FileIo, PrivateDirectoryRefusesSharedPlaces) {
  ASSERT_EQ(::mkdir(path("shared").c_str(), 0700), 0);
  ASSERT_EQ(::chmod(path("shared").c_str(), 0777), 0);
  EXPECT_EQ(message_of([&] { (void)make_private_directory(path("shared"), "the place"); }),
            "the place '" + path("shared") +
                "' is writable by everyone (mode 0777): run chmod 700 on it or choose another directory");
  ASSERT_EQ(::chmod(path("shared").c_str(), 0770), 0);
  EXPECT_EQ(message_of([&] { (void)make_private_directory(path("shared"), "the place"); }),
            "the place '" + path("shared") +
                "' is writable by its group (mode 0770): run chmod 700 on it or choose another directory");
  ASSERT_EQ(::chmod(path("shared").c_str(), 0755), 0);
  EXPECT_EQ(make_private_directory(path("shared"), "the place"), 0) << "readable by others is allowed";
  ASSERT_EQ(write_file(path("file"), ""), 0);
  EXPECT_EQ(message_of([&] { (void)make_private_directory(path("file"), "the place"); }),
            "the place '" + path("file") + "' is not a directory");
}

TEST_F(FileIo, PrivateDirectoryRefusesAnotherOwner) {
  std::string other = "/";  // root's
  if (::geteuid() == 0) {
    other = path("other");
    ASSERT_EQ(::mkdir(other.c_str(), 0700), 0);
    ASSERT_EQ(::chown(other.c_str(), 65534, 65534), 0);
  }
  const std::string owner = ::geteuid() == 0 ? "65534" : "0";
  EXPECT_EQ(message_of([&] { (void)make_private_directory(other, "the place"); }),
            "the place '" + other + "' belongs to user " + owner + ", not to you (user " + std::to_string(::geteuid()) +
                "): choose a directory of your own");
}

TEST(ParentDirectory, OfAnyPath) {
  EXPECT_EQ(parent_directory("/a/b"), "/a");
  EXPECT_EQ(parent_directory("/a/b/"), "/a");
  EXPECT_EQ(parent_directory("/a"), "/");
  EXPECT_EQ(parent_directory("a"), ".");
  EXPECT_EQ(parent_directory("a/b"), "a");
}

}  // namespace
}  // namespace cppgen
