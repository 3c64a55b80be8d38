// Real launchers: ccache, and distcc with two servers on this machine.
#include <cstdlib>
#include <map>

#include "tests/compile/fixture.h"
#include "tests/support/distcc_server.h"

namespace cppgen {
namespace {

#define REQUIRE_PROGRAM(present, name)                            \
  if (!(present)) {                                               \
    if (std::getenv("CI")) FAIL() << name << " is not installed"; \
    GTEST_SKIP() << name << " is not installed";                  \
  }

class LaunchersTest : public CompileTest {
 protected:
  LaunchersTest() {
    set("CCACHE_DIR", path("ccache"));
    set("DISTCC_DIR", path("distcc"));
    EXPECT_EQ(make_directories(path("distcc")), 0);
    set("DISTCC_FALLBACK", "0");  // a job that no server takes is an error
    options_.compile_threads = 4;
  }
  ~LaunchersTest() override {
    for (const auto& [name, value] : before_) {
      if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
      else
        ::unsetenv(name.c_str());
    }
  }

  void set(const std::string& name, const std::string& value) {
    const char* old = std::getenv(name.c_str());
    before_.emplace(name, old ? std::optional<std::string>(old) : std::nullopt);
    ::setenv(name.c_str(), value.c_str(), 1);
  }

  // The units include kernels' headers, and are compiled with the flags of kernels.
  static std::vector<CompileJob> jobs() {
    std::vector<CompileJob> result;
    for (int i = 1; i <= 6; i++) {
      result.push_back(job("unit" + std::to_string(i), i));
      result.back().source = "#include \"runtime/abi/abi.h\"\n#include \"vec/scalar/vec.h\"\n" + result.back().source;
    }
#ifdef __x86_64__
    result.back() = job_with_tile("unit6", 6);
#endif
    return result;
  }

  // The objects that this compiler makes, with caches of their own.
  std::vector<std::string> images(const std::string& cxx) {
    options_.cxx = cxx;
    options_.cache_dir = path("cache" + std::to_string(next_cache_++));
    std::vector<std::string> result;
    const auto built = build_kernels(jobs(), options_);
    for (size_t i = 0; i < built.size(); i++) {
      EXPECT_FALSE(built[i].from_cache);
      EXPECT_EQ(call_kernel(built[i]), int(i) + 1);
      result.push_back(read_object(built[i]));
    }
    return result;
  }

  // One of ccache's counters.
  int counted(const std::string& counter) {
    ProcessSpec spec;
    spec.argv = {"/usr/bin/ccache", "--print-stats"};
    PosixProcessRunner runner;
    const std::string text = "\n" + runner.run(spec).output;
    const size_t at = text.find("\n" + counter + "\t");
    return at == text.npos ? -1 : std::atoi(text.c_str() + at + counter.size() + 2);
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
  int next_cache_ = 0;
};

bool installed(const char* program) { return ::access(program, X_OK) == 0; }

TEST_F(LaunchersTest, CcacheRemembersObjects) {
  REQUIRE_PROGRAM(installed("/usr/bin/ccache"), "ccache");
  const auto plain = images("g++");
  EXPECT_EQ(images("ccache g++"), plain);
  EXPECT_EQ(counted("cache_miss"), 6);
  EXPECT_EQ(counted("called_for_link"), 0);
  EXPECT_EQ(images("ccache g++"), plain);
  EXPECT_EQ(counted("cache_miss"), 6) << "the second time, all are hits";
  EXPECT_EQ(counted("preprocessed_cache_hit") + counted("direct_cache_hit"), 6);
}

TEST_F(LaunchersTest, ALinkToCcacheIsALauncher) {
  REQUIRE_PROGRAM(installed("/usr/bin/ccache"), "ccache");
  ASSERT_EQ(make_directories(path("links")), 0);
  std::filesystem::create_symlink("/usr/bin/ccache", path("links/g++"));
  set("PATH", path("links") + ":" + std::getenv("PATH"));
  images("g++"), images("g++"), images(path("links/g++"));
  EXPECT_EQ(counted("cache_miss"), 6);
  EXPECT_EQ(counted("preprocessed_cache_hit") + counted("direct_cache_hit"), 12);
}

TEST_F(LaunchersTest, DistccCompilesOnItsServers) {
  const DistccServer first, second;
  REQUIRE_PROGRAM(installed("/usr/bin/distcc") && first.started() && second.started(), "distcc");
  set("DISTCC_HOSTS", first.host() + " " + second.host());
  EXPECT_EQ(images("distcc g++"), images("g++"));
  EXPECT_TRUE(eventually([&] { return first.jobs() + second.jobs() == 6; })) << first.jobs() << " " << second.jobs();
  EXPECT_GT(first.jobs(), 0);
  EXPECT_GT(second.jobs(), 0);
}

TEST_F(LaunchersTest, CcacheInFrontOfDistccKnowsTheCompiler) {
  REQUIRE_PROGRAM(installed("/usr/bin/ccache"), "ccache");
  const DistccServer server;
  REQUIRE_PROGRAM(installed("/usr/bin/distcc") && server.started(), "distcc");
  set("DISTCC_HOSTS", server.host());
  const auto plain = images("g++");
  EXPECT_EQ(images("ccache distcc g++"), plain);
  EXPECT_TRUE(eventually([&] { return server.jobs() == 6; })) << server.jobs();
  EXPECT_EQ(images("ccache g++"), plain);
  EXPECT_EQ(counted("preprocessed_cache_hit") + counted("direct_cache_hit"), 6) << "with distcc or without";
}

TEST_F(LaunchersTest, TheKeyIsTheCompilers) {
  REQUIRE_PROGRAM(installed("/usr/bin/ccache"), "ccache");
  const auto key = [&](const std::string& cxx) {
    options_.cxx = cxx;
    return KernelBuilder(options_).key_of(job("one", 1)).hex;
  };
  EXPECT_EQ(key("ccache g++"), key("g++"));
  EXPECT_EQ(key("env CCACHE_DIR=/x ccache g++"), key("g++"));
  EXPECT_NE(key("ccache g++ -m64"), key("g++"));
}

}  // namespace
}  // namespace cppgen
