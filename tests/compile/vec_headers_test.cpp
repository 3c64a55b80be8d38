#include "cppgen/compile/vec_headers.h"

#include <regex>

#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

class VecHeadersTest : public CompileTest {};

TEST_F(VecHeadersTest, HoldTheKernelAbi) {
  const auto& files = embedded_headers();
  const auto abi =
      std::find_if(files.begin(), files.end(), [](const auto& f) { return f.path == "runtime/abi/abi.h"; });
  ASSERT_NE(abi, files.end());
  EXPECT_NE(abi->content.find("CPPGEN_ABI_VERSION"), std::string_view::npos);
  EXPECT_TRUE(std::is_sorted(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; }));
}

// Versions of clang differ in builtins; the intrinsics stay. The two others are those that clang's own headers call.
TEST_F(VecHeadersTest, BuiltinsOfGnuHaveIntrinsicsForClang) {
  const std::regex use("(#define )?(__builtin_ia32_\\w+)");
  std::set<std::pair<std::string, std::string>> used, defined;  // folder and name
  for (const EmbeddedFile& file : embedded_headers()) {
    const std::string folder = parent_directory(std::string(file.path));
    for (std::cregex_iterator at(file.content.data(), file.content.data() + file.content.size(), use), end; at != end;
         ++at)
      ((*at)[1].matched ? defined : used).emplace(folder, (*at)[2]);
  }
  EXPECT_FALSE(defined.empty());
  for (const auto& [folder, name] : used) {
    if (name == "__builtin_ia32_cvtss2si" || name == "__builtin_ia32_sfence") continue;
    EXPECT_TRUE(defined.contains({folder, name})) << folder << "/clang.h lacks " << name;
  }
}

TEST_F(VecHeadersTest, PublishedOnceByContent) {
  ASSERT_EQ(make_directories(path("cache")), 0);
  VecHeaders first = VecHeaders::embedded(path("cache"));
  EXPECT_FALSE(file_exists(path("cache/include"))) << "nothing is written before it is needed";
  const std::string place = first.path();
  EXPECT_EQ(place, path("cache/include/") + embedded_headers_hash());
  EXPECT_FALSE(first.is_temporary());
  for (const EmbeddedFile& file : embedded_headers()) {
    EXPECT_EQ(read_file(place + "/" + std::string(file.path)), file.content);
  }
  struct stat before, after;
  ASSERT_EQ(::stat(place.c_str(), &before), 0);
  EXPECT_EQ(VecHeaders::embedded(path("cache")).path(), place);
  ASSERT_EQ(::stat(place.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(VecHeadersTest, SameContentSameHash) {
  const std::string hash = VecHeaders::embedded(path("cache")).hash();
  const auto hash_of_copy = [&] { return VecHeaders::from_directory(path("copy")).hash(); };
  write_embedded_headers(path("copy"));
  EXPECT_FALSE(VecHeaders::tiles_in(path("copy")));
  if (!embedded_tiles().empty()) {
    EXPECT_NE(hash_of_copy(), hash);
    ASSERT_EQ(write_file(path("copy/vec/finished_tiles.a"), "damaged"), 0);
    EXPECT_TRUE(VecHeaders::tiles_in(path("copy")));
    EXPECT_NE(hash_of_copy(), hash);
    ASSERT_EQ(write_file(path("copy/vec/finished_tiles.a"), embedded_tiles()), 0);
  }
  EXPECT_EQ(hash_of_copy(), hash);
  ASSERT_EQ(write_file(path("copy/runtime/abi/more.h"), "//"), 0);
  EXPECT_NE(hash_of_copy(), hash);
  EXPECT_THROW(VecHeaders::from_directory(path("absent")), UserError);
}

TEST_F(VecHeadersTest, ASourceTreeThatIsGoneIsAnError) {
  write_embedded_headers(path("tree"));
  EXPECT_EQ(usable_source_tree(path("tree")), path("tree"));
  std::filesystem::remove_all(path("tree/vec"));
  try {
    usable_source_tree(path("tree"));
    ADD_FAILURE() << "no error";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()), "INCLUDE_FROM_SOURCETREE=1, but '" + path("tree") +
                                             "/vec' is gone: cppgen was built from the source tree '" + path("tree") +
                                             "'");
  }
}

TEST_F(VecHeadersTest, DamagedFolderIsReplaced) {
  const std::string place = VecHeaders::embedded(path("cache")).path();
  ASSERT_EQ(write_file(place + "/runtime/abi/abi.h", "#error foreign\n"), 0);
  EXPECT_EQ(VecHeaders::embedded(path("cache")).path(), place);
  EXPECT_NE(read_file(place + "/runtime/abi/abi.h").find("CPPGEN_ABI_VERSION"), std::string::npos);
}

TEST_F(VecHeadersTest, WithoutACacheTheyAreTemporary) {
  std::string place;
  {
    VecHeaders headers = VecHeaders::embedded("");
    place = headers.path();
    EXPECT_TRUE(headers.is_temporary());
    EXPECT_TRUE(file_exists(place + "/runtime/abi/abi.h"));
  }
  EXPECT_FALSE(file_exists(place));
}

TEST_F(VecHeadersTest, ClearingSparesFoldersInUse) {
  {
    VecHeaders used = VecHeaders::embedded(path("cache"));
    const std::string place = used.path();
    clear_published_headers(path("cache"));
    EXPECT_TRUE(file_exists(place));
  }
  clear_published_headers(path("cache"));
  EXPECT_FALSE(file_exists(path("cache/include/") + embedded_headers_hash()));
}

}  // namespace
}  // namespace cppgen
