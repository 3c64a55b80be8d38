#include "cppgen/support/tar.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMost = 1 << 20;

class Tar : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string write(const std::string& name, const std::string& content) const {
    EXPECT_EQ(write_file(path(name), content), 0);
    return path(name);
  }
  std::string fresh(const std::string& name) const {
    fs::remove_all(path(name));
    fs::create_directory(path(name));
    return path(name);
  }
  // The error of extracting the archive.
  std::string error_of(const std::string& archive, int64_t most = kMost) const {
    try {
      extract_tar(archive, fresh("out"), most);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  int shell(const std::string& command) const {
    return std::system(("cd " + folder_.path() + " && " + command).c_str());
  }

 private:
  TempDirectory folder_{system_temp_directory(), "cppgen-tar-test."};
};

TEST_F(Tar, FilesComeBackAsTheyWere) {
  std::string long_name(150, 'd');
  long_name[90] = '/';
  std::string binary(513, '\0');
  for (size_t i = 0; i < binary.size(); i++) binary[i] = char(i * 7);
  write_tar(path("a.tar"), {{"empty", write("e", "")},
                            {"block", write("b", std::string(512, 'x'))},
                            {"in/folders/binary", write("c", binary)},
                            {long_name, write("d", "long")}});
  extract_tar(path("a.tar"), fresh("out"), kMost);
  EXPECT_EQ(read_file(path("out/empty")), "");
  EXPECT_EQ(read_file(path("out/block")), std::string(512, 'x'));
  EXPECT_EQ(read_file(path("out/in/folders/binary")), binary);
  EXPECT_EQ(read_file(path("out/" + long_name)), "long");
  EXPECT_FALSE(fs::exists(path("a.tar.partial")));
}

TEST_F(Tar, OtherProgramsReadAndWriteTheSameFormat) {
  write_tar(path("a.tar"), {{"in/x", write("x", "content")}});
  ASSERT_EQ(shell("mkdir theirs && tar -xf a.tar -C theirs"), 0);
  EXPECT_EQ(read_file(path("theirs/in/x")), "content");
  ASSERT_EQ(shell("tar --format=ustar -cf b.tar -C theirs in && tar --format=gnu -cf c.tar -C theirs in"), 0);
  for (const char* archive : {"b.tar", "c.tar"}) {
    extract_tar(path(archive), fresh("out"), kMost);
    EXPECT_EQ(read_file(path("out/in/x")), "content");
  }
}

TEST_F(Tar, NamesStayInTheFolder) {
  write("x", "content");
  ASSERT_EQ(shell("mkdir sub && tar --format=ustar -P -cf up.tar --transform 's,^,../,' x && "
                  "tar --format=ustar -P -cf inner.tar --transform 's,^,a/../../,' x && "
                  "tar --format=ustar -P -cf root.tar $PWD/x"),
            0);
  for (const char* archive : {"up.tar", "inner.tar", "root.tar"})
    EXPECT_NE(error_of(path(archive)).find("could lead out of the folder"), std::string::npos) << archive;
  EXPECT_TRUE(fs::is_empty(path("out")));
}

TEST_F(Tar, OnlyRegularFilesAreExtracted) {
  ASSERT_EQ(
      shell("ln -s /etc link && mkfifo fifo && echo 1 > one && ln one two && tar --format=ustar -cf link.tar link && "
            "tar --format=ustar -cf fifo.tar fifo && tar --format=ustar -cf hard.tar one two"),
      0);
  EXPECT_NE(error_of(path("link.tar")).find("'link' is not a regular file"), std::string::npos);
  EXPECT_NE(error_of(path("fifo.tar")).find("'fifo' is not a regular file"), std::string::npos);
  EXPECT_NE(error_of(path("hard.tar")).find("'two' is not a regular file"), std::string::npos);
}

TEST_F(Tar, NothingIsWrittenTwice) {
  write_tar(path("a.tar"), {{"x", write("x", "first")}, {"x", write("y", "second")}});
  EXPECT_NE(error_of(path("a.tar")).find("the name 'x' occurs twice"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(path("out")));
  write_tar(path("a.tar"), {{"x", path("x")}, {"./x", path("y")}});
  EXPECT_NE(error_of(path("a.tar")).find("'./x' cannot be created"), std::string::npos);
  EXPECT_EQ(read_file(path("out/x")), "first");
}

// Whatever an archive says about itself is checked before anything is written.
TEST_F(Tar, LimitsHoldBeforeTheFirstFile) {
  write_tar(path("a.tar"), {{"x", write("x", std::string(1000, 'x'))}, {"y", write("y", std::string(1000, 'y'))}});
  EXPECT_NE(error_of(path("a.tar"), 1999).find("larger than the limit"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(path("out")));
  EXPECT_EQ(error_of(path("a.tar"), 2000), "");
  const std::string bytes = read_file(path("a.tar"));
  EXPECT_NE(error_of(write("short.tar", bytes.substr(0, 2500))).find("ends too early"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(path("out")));
  // A hole of 1 TiB is an archive without files.
  ASSERT_EQ(shell("truncate -s 1T sparse.tar"), 0);
  EXPECT_EQ(error_of(path("sparse.tar")), "");
}

TEST_F(Tar, OnlyRegularFilesAreArchives) {
  ASSERT_EQ(shell("mkfifo fifo"), 0);
  for (const std::string& file : {path("fifo"), std::string("/dev/zero"), path("")})
    EXPECT_NE(error_of(file).find("not a regular file"), std::string::npos) << file;
}

TEST_F(Tar, DamagedArchivesAreErrors) {
  write_tar(path("a.tar"), {{"x", write("x", std::string(2000, 'x'))}});
  const std::string bytes = read_file(path("a.tar"));
  EXPECT_EQ(error_of(path("a.tar")), "");
  EXPECT_NE(error_of(path("a.tar"), 1999).find("larger than the limit"), std::string::npos);
  for (size_t size : {size_t{0}, size_t{100}, size_t{512}, size_t{1500}, size_t{2560}})
    EXPECT_NE(error_of(write("short.tar", bytes.substr(0, size))).find("ends too early"), std::string::npos) << size;
  for (size_t at : {size_t{0}, size_t{124}, size_t{148}, size_t{156}, size_t{257}, size_t{345}}) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 5);
    EXPECT_NE(error_of(write("damaged.tar", damaged)), "") << at;
  }
  EXPECT_NE(error_of(path("nowhere.tar")), "");
}

TEST_F(Tar, FilesThatCannotBeReadLeaveNoArchive) {
  EXPECT_THROW(write_tar(path("a.tar"), {{"x", path("nowhere")}}), UserError);
  EXPECT_FALSE(fs::exists(path("a.tar")) || fs::exists(path("a.tar.partial")));
}

}  // namespace
}  // namespace cppgen
