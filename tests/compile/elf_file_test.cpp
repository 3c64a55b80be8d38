#include "cppgen/compile/elf_file.h"

#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

using Words = std::vector<std::string>;

class ElfFileTest : public CompileTest {
 protected:
  std::string compile(const std::string& source, const Words& flags) {
    EXPECT_EQ(write_file(path("t.cpp"), source), 0);
    ProcessSpec spec;
    spec.argv = {"/usr/bin/g++"};
    spec.argv.insert(spec.argv.end(), flags.begin(), flags.end());
    for (const std::string& word : Words{"-o", path("t.so"), path("t.cpp")}) spec.argv.push_back(word);
    PosixProcessRunner runner;
    const ProcessResult result = runner.run(spec);
    EXPECT_TRUE(result.ok()) << result.output;
    return read_file(path("t.so"));
  }
};

const char* kSource =
    "extern \"C\" double sin(double);\nextern \"C\" double f(double x) { return sin(x); }\n"
    "extern \"C\" int g() { return 1; }\nint main() {}\n";

TEST_F(ElfFileTest, ListsDynamicSymbols) {
  const std::string bytes = compile(kSource, {"-shared", "-fPIC", "-nostdlib", "-fno-builtin"});
  std::string why;
  const auto symbols = read_shared_object(bytes, why);
  ASSERT_TRUE(symbols) << why;
  EXPECT_EQ(symbols->undefined, Words{"sin"});
  EXPECT_TRUE(std::binary_search(symbols->defined.begin(), symbols->defined.end(), "f"));
  EXPECT_TRUE(std::binary_search(symbols->defined.begin(), symbols->defined.end(), "g"));
}

TEST_F(ElfFileTest, RefusesOtherFilesWithAReason) {
  std::string why;
  EXPECT_FALSE(read_shared_object("", why));
  EXPECT_EQ(why, "it is empty");
  EXPECT_FALSE(read_shared_object(std::string(1000, 'x'), why));
  EXPECT_EQ(why, "it is not an ELF file");
  EXPECT_FALSE(read_shared_object(compile(kSource, {"-c"}), why));
  EXPECT_EQ(why, "it is not a shared object");
}

TEST_F(ElfFileTest, SurvivesAnyDamage) {
  const std::string bytes = compile(kSource, {"-shared", "-fPIC", "-nostdlib", "-fno-builtin"});
  std::string why;
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_FALSE(read_shared_object(std::string_view(bytes).substr(0, size), why)) << size;
  }
  uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {  // must not read out of bounds, whatever the answer
    std::string damaged = bytes;
    for (int i = 0; i < 8; ++i) {
      state = state * 1664525 + 1013904223;
      const size_t header = round % 2 ? damaged.size() : 64;
      damaged[state % header] = static_cast<char>(state >> 24);
    }
    read_shared_object(damaged, why);
  }
}

}  // namespace
}  // namespace cppgen
