#include "cppgen/onnxruntime/archive.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cppgen/onnxruntime/ort_call.h"

namespace cppgen::ep {
namespace {

namespace fs = std::filesystem;

class Archive : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/cppgen_archive_XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
    fs::create_directory(folder_ / "avx2");
    write("plan.json", "{}");
    write("avx2/kernels.so", std::string(1000, 'k'));
    write("empty", "");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  fs::path folder_;
};

ArchiveFiles files_of(const std::string& archive) {
  static std::shared_ptr<const std::byte> memory;
  memory = aligned_copy(archive);
  return files_in(memory.get(), archive.size());
}

TEST_F(Archive, HasTheFilesOfADirectory) {
  const ArchiveFiles found = files_of(archive_of(folder_));
  ASSERT_EQ(found.files.size(), 3u);
  EXPECT_STREQ(found.files[0].name, "avx2/kernels.so");
  EXPECT_EQ(std::string(static_cast<const char*>(found.files[0].data), found.files[0].bytes), std::string(1000, 'k'));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(found.files[0].data) % 64, 0u);
  EXPECT_STREQ(found.files[1].name, "empty");
  EXPECT_EQ(found.files[1].bytes, 0u);
  EXPECT_STREQ(found.files[2].name, "plan.json");
}

TEST_F(Archive, IsReadByTar) {
  std::ofstream(folder_ / "../cppgen_archive_test.tar") << archive_of(folder_);
  const std::string command = "tar -tf " + (folder_ / "../cppgen_archive_test.tar").string() + " > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  fs::remove(folder_ / "../cppgen_archive_test.tar");
}

TEST_F(Archive, DamageIsAnError) {
  const std::string whole = archive_of(folder_);
  for (size_t length = 0; length < whole.size() - 1024; length += 128)
    EXPECT_THROW(files_of(whole.substr(0, length)), Failure) << length;
  for (const size_t at : {0, 124, 130, 148, 156, 257}) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    EXPECT_THROW(files_of(damaged), Failure) << at;
  }
}

TEST_F(Archive, NamesThatDoNotFitAreAnError) {
  write(std::string(120, 'n'), "");
  EXPECT_THROW(archive_of(folder_), Failure);
}

}  // namespace
}  // namespace cppgen::ep
