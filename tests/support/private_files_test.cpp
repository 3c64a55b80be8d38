#include "cppgen/support/private_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

class PrivateFiles : public testing::Test {
 protected:
  PrivateFiles() {
    EXPECT_EQ(make_directories(top() + "/models/a/b"), 0);
    EXPECT_EQ(write_file(top() + "/models/a/b/file", "x"), 0);
  }
  std::string top() const { return folder_.path() + "/cache"; }
  void set_mode(const std::string& name, unsigned mode) const { fs::permissions(top() + name, fs::perms(mode)); }
  std::string error() const {
    try {
      return make_private_directory(top(), "the cache") == 0 ? "" : "errno";
    } catch (const UserError& error) {
      return error.what();
    }
  }

  TempDirectory folder_{system_temp_directory(), "cppgen-private-test."};
};

TEST_F(PrivateFiles, EveryFolderCounts) {
  set_mode("", 0755);
  EXPECT_EQ(error(), "");
  for (const char* name : {"/models", "/models/a", "/models/a/b"})
    for (const unsigned mode : {0775u, 0757u, 0777u, 01777u}) {
      set_mode(name, mode);
      EXPECT_NE(error().find(name + std::string("' in it is writable by ")), std::string::npos) << name << error();
      set_mode("", 0700);  // nobody gets there
      EXPECT_EQ(error(), "");
      set_mode("", 0755), set_mode(name, 0755);
      EXPECT_EQ(error(), "");
    }
  set_mode("", 0775);
  EXPECT_NE(error().find("is writable by its group"), std::string::npos);
}

TEST_F(PrivateFiles, LinksCountAsWhatTheyLeadTo) {
  set_mode("", 0755);
  EXPECT_EQ(make_directories(folder_.path() + "/elsewhere"), 0);
  fs::create_directory_symlink(folder_.path() + "/elsewhere", top() + "/kernels");
  EXPECT_EQ(error(), "");
  fs::permissions(folder_.path() + "/elsewhere", fs::perms::all);
  EXPECT_NE(error().find("/kernels' in it is writable by everyone"), std::string::npos) << error();
}

TEST_F(PrivateFiles, FilesOfAPackage) {
  set_mode("", 0755);
  EXPECT_EQ(why_unsafe_files(top(), top() + "/models"), "");
  set_mode("/models/a/b/file", 0664);
  EXPECT_NE(why_unsafe_files(top(), top() + "/models").find("file' is writable by its group (mode 0664)"),
            std::string::npos);
  set_mode("/models/a/b", 0777);
  forbid_others_to_write(top());
  EXPECT_EQ(why_unsafe_files(top(), top() + "/models"), "");
  EXPECT_EQ(error(), "");
}

// Whatever the umask says.
TEST_F(PrivateFiles, FoldersAreMadeForThisUserOnly) {
  const mode_t before = ::umask(0);
  EXPECT_EQ(make_directories(top() + "/new/er"), 0);
  ::umask(before);
  set_mode("", 0755);
  EXPECT_EQ(error(), "");
  EXPECT_EQ(make_directories(top() + "/models/a/b/file"), ENOTDIR);
  EXPECT_EQ(make_directories(top() + "/models/a/b/file/x"), ENOTDIR);
}

TEST(ReadFile, ReadsOnlyRegularFilesOfBoundedSize) {
  const TempDirectory folder(system_temp_directory(), "cppgen-read-test.");
  const std::string fifo = folder.path() + "/fifo", file = folder.path() + "/file";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ASSERT_EQ(write_file(file, "12345"), 0);
  for (const std::string& path : {fifo, std::string("/dev/zero"), folder.path()}) {
    EXPECT_FALSE(try_read_file(path)) << path;
    EXPECT_THROW((void)read_file(path), UserError) << path;
  }
  EXPECT_EQ(read_file(file, 5), "12345");
  EXPECT_THROW((void)read_file(file, 4), UserError);
  EXPECT_NE(try_read_file("/proc/self/status"), std::nullopt);
  EXPECT_FALSE(try_read_file("/proc/self/status", 10));
}

}  // namespace
}  // namespace cppgen
