#include "cppgen/compile/toolchain.h"

#include "cppgen/compile/compile_flags.h"
#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

using Words = std::vector<std::string>;

std::string message_of(auto action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SplitCommand, QuotesGroupAndNothingExpands) {
  EXPECT_EQ(split_command("  ccache   g++ "), (Words{"ccache", "g++"}));
  EXPECT_EQ(split_command("'a b' \"c d\" e\\ f g'h'i"), (Words{"a b", "c d", "e f", "ghi"}));
  EXPECT_EQ(split_command("'$HOME' \"a\\\"b\" '' '\\'"), (Words{"$HOME", "a\"b", "", "\\"}));
  EXPECT_EQ(split_command(""), Words{});
  EXPECT_EQ(message_of([] { split_command("'a"); }), "''a' has an unterminated ' quote");
}

TEST(SplitCommand, JoinIsItsInverse) {
  const Words words = {"g++", "a b", "it's", "", "-DX=\"y\"", "$z"};
  EXPECT_EQ(split_command(join_command(words)), words);
}

class ToolchainTest : public CompileTest {
 protected:
  std::string program(const std::string& folder, const std::string& name) {
    EXPECT_EQ(make_directories(path(folder)), 0);
    const std::string file = path(folder) + "/" + name;
    EXPECT_EQ(write_file(file, "#!/bin/sh\n"), 0);
    EXPECT_EQ(::chmod(file.c_str(), 0755), 0);
    return file;
  }
};

TEST_F(ToolchainTest, FindsTheFirstInPath) {
  const std::string first = program("a", "g++");
  program("b", "g++");
  const Toolchain found = Toolchain::find("g++ -m64", path("a") + ":" + path("b"));
  EXPECT_EQ(found.command, (Words{first, "-m64"}));
  ASSERT_EQ(found.identity.size(), 1u);
  EXPECT_TRUE(found.identity[0].starts_with(std::filesystem::canonical(first).string() + " size=10 mtime="));
}

TEST_F(ToolchainTest, MissingCompilerSaysWhatToDo) {
  EXPECT_EQ(message_of([&] { Toolchain::find("no-such-g++ -O2", "/x:/y"); }),
            "no C++ compiler: 'no-such-g++' (setting CPPGEN_CXX=no-such-g++ -O2) was not found in PATH (/x:/y); "
            "install a compiler (apt-get install g++) or set CPPGEN_CXX to its path");
  EXPECT_EQ(message_of([&] { Toolchain::find("/no/g++", "/x"); }),
            "no C++ compiler: '/no/g++' (setting CPPGEN_CXX=/no/g++) was not found there; install a compiler (apt-get "
            "install g++) or set CPPGEN_CXX to its path");
  EXPECT_EQ(message_of([] { Toolchain::find(" ", "/x"); }), "CPPGEN_CXX is empty; it must name the C++ compiler (g++)");
}

TEST_F(ToolchainTest, LauncherAndCompilerMustBothExist) {
  const std::string launcher = program("a", "ccache");
  EXPECT_NE(message_of([&] { Toolchain::find("ccache g++", path("a")); }).find("'g++'"), std::string::npos);
  const std::string compiler = program("a", "g++");
  const Toolchain found = Toolchain::find("ccache g++ -m64", path("a"));
  EXPECT_EQ(found.command, (Words{compiler, "-m64"})) << "the compiler links alone";
  EXPECT_EQ(found.identity, Toolchain::find("g++ -m64", path("a")).identity);
  ASSERT_TRUE(found.launched);
  EXPECT_EQ(found.launched->command, (Words{launcher, "g++", "-m64"})) << "the launcher searches the compiler itself";
  EXPECT_NE(message_of([&] { Toolchain::find("distcc g++", path("a")); }).find("'distcc'"), std::string::npos);
  EXPECT_EQ(message_of([&] { Toolchain::find("ccache -m64", path("a")); }),
            "CPPGEN_CXX=ccache -m64 names no compiler after its launcher");
  EXPECT_FALSE(Toolchain::find("g++", path("a")).launched);
}

TEST_F(ToolchainTest, EverythingUpToTheLastLauncherLaunches) {
  const std::string ccache = program("a", "ccache"), env = program("a", "env");
  program("a", "distcc"), program("a", "nice");
  const std::string compiler = program("b", "g++-12");
  const std::string folders = path("a") + ":" + path("b");
  Toolchain found = Toolchain::find("env A=b ccache sloppiness=locale distcc " + compiler + " -O1 -D X=1", folders);
  EXPECT_EQ(found.command, (Words{compiler, "-O1", "-D", "X=1"}));
  ASSERT_TRUE(found.launched);
  EXPECT_EQ(found.launched->command, (Words{env, "A=b", "ccache", "sloppiness=locale", compiler, "-O1", "-D", "X=1"}));
  ASSERT_EQ(found.launched->environment.size(), 1u) << "ccache would take distcc for the compiler";
  EXPECT_EQ(found.launched->environment[0].first, "CCACHE_PREFIX");
  EXPECT_EQ(found.launched->environment[0].second, "distcc");
  found = Toolchain::find("nice g++-12", folders);
  EXPECT_EQ(found.command, (Words{path("a/nice"), "g++-12"})) << "no launcher, so it also links";
  EXPECT_EQ(found.identity.size(), 2u);
  EXPECT_FALSE(found.launched);
}

TEST_F(ToolchainTest, ALinkToALauncherStandsForTheNextCompiler) {
  const std::string launcher = program("bin", "ccache");
  ASSERT_EQ(make_directories(path("links")), 0);
  std::filesystem::create_symlink(launcher, path("links/g++"));
  EXPECT_NE(message_of([&] { Toolchain::find("g++", path("links")); }).find("'g++'"), std::string::npos);
  const std::string compiler = program("bin", "g++"), folders = path("links") + ":" + path("bin");
  for (const std::string& setting : {std::string("g++"), path("links/g++")}) {
    const Toolchain found = Toolchain::find(setting, folders);
    EXPECT_EQ(found.command, Words{compiler});
    EXPECT_EQ(found.identity, Toolchain::find(compiler, "").identity);
    ASSERT_TRUE(found.launched);
    EXPECT_EQ(found.launched->command, Words{path("links/g++")});
  }
}

TEST_F(ToolchainTest, AnotherCompilerIsAnotherIdentity) {
  const std::string file = program("a", "g++");
  const Toolchain before = Toolchain::find("g++", path("a"));
  EXPECT_EQ(Toolchain::find("g++", path("a")).identity, before.identity);
  ASSERT_EQ(write_file(file, "#!/bin/sh\n#2\n"), 0);
  EXPECT_NE(Toolchain::find("g++", path("a")).identity, before.identity);
}

TEST(KernelFlags, FixedOnesAndTheirOrder) {
  const Words flags = kernel_flags({}, {"-mavx2"}, {"-ffp-contract=fast"});
  for (const char* flag :
       {"-std=gnu++20", "-fPIC", "-shared", "-nostdlib", "-fno-math-errno", "-fno-trapping-math", "-fvisibility=hidden",
        "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables", "-w"}) {
    EXPECT_EQ(std::count(flags.begin(), flags.end(), flag), 1) << flag;
  }
  const auto at = [&](const char* flag) { return std::find(flags.begin(), flags.end(), flag) - flags.begin(); };
  EXPECT_LT(at("-ffp-contract=off"), at("-ffp-contract=fast")) << "extra flags override";
  EXPECT_LT(at("-O3"), at("-mavx2"));
  EXPECT_EQ(std::count(flags.begin(), flags.end(), "-march=native"), 0);
}

TEST(KernelFlags, DebuggingOverridesTheLevelOfOptimisation) {
  const auto has = [](const Words& flags, const char* flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  };
  CompileOptions options;
  EXPECT_FALSE(has(kernel_flags(options, {}), "-g1"));
  options.debug_level = "1";
  EXPECT_TRUE(has(kernel_flags(options, {}), "-g1") && has(kernel_flags(options, {}), "-O3"));
  options.debug_level = "2";
  const Words flags = kernel_flags(options, {});
  EXPECT_LT(std::find(flags.begin(), flags.end(), "-O3"), std::find(flags.begin(), flags.end(), "-O0"));
  options.debug_level = "-g3  -Og";
  EXPECT_TRUE(has(kernel_flags(options, {}), "-g3") && has(kernel_flags(options, {}), "-Og"));
}

TEST(KernelFlags, SanitizersNeedTheirLibrary) {
  CompileOptions options;
  options.extra_flags = {"-fsanitize=address"};
  const Words flags = kernel_flags(options, {});
  EXPECT_EQ(std::count(flags.begin(), flags.end(), "-nostdlib"), 0);
  EXPECT_TRUE(is_instrumented(flags));
}

}  // namespace
}  // namespace cppgen
