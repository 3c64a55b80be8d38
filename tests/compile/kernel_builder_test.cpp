#include "cppgen/compile/kernel_builder.h"

#include <cstdlib>

#include "cppgen/compile/compile_flags.h"
#include "cppgen/compile/elf_file.h"
#include "cppgen/support/interrupt.h"
#include "tests/compile/fixture.h"
#include "tests/support/running_time.h"

namespace cppgen {
namespace {

class KernelBuilderTest : public CompileTest {
 protected:
  // Builds with the real compiler and returns how many processes that took.
  int64_t processes_for(const std::vector<CompileJob>& jobs) {
    KernelBuilder builder(options_);
    for (const CompiledObject& object : builder.build(jobs)) EXPECT_TRUE(file_exists(object.path));
    return builder.runner().started();
  }
};

TEST_F(KernelBuilderTest, ColdBuildsWarmStartsNoProcess) {
  const std::vector<CompileJob> jobs = {job("one", 1), job("two", 2), job("three", 3)};
  KernelBuilder cold(options_);
  const auto built = cold.build(jobs);
  EXPECT_EQ(cold.runner().started(), 3);
  ASSERT_EQ(built.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(built[i].from_cache);
    EXPECT_GT(built[i].seconds, 0);
    EXPECT_EQ(built[i].name, jobs[i].name);
    EXPECT_EQ(call_kernel(built[i]), i + 1);
  }
  KernelBuilder warm(options_);
  const auto found = warm.build(jobs);
  EXPECT_EQ(warm.runner().started(), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(found[i].from_cache);
    EXPECT_EQ(found[i].path, built[i].path);
    EXPECT_EQ(call_kernel(found[i]), i + 1);
  }
  EXPECT_EQ(warm.cache()->stats().hits, 3);
  EXPECT_EQ(cold.cache()->stats().misses, 3);
  EXPECT_EQ(cold.cache()->stats().stored, 3);
}

TEST_F(KernelBuilderTest, LeavesNoTemporaryFiles) {
  ASSERT_EQ(make_directories(path("tmp")), 0);
  const std::string before = system_temp_directory();
  ASSERT_EQ(::setenv("TMPDIR", path("tmp").c_str(), 1), 0);
  processes_for({job("one", 1)});
  ASSERT_EQ(::setenv("TMPDIR", before.c_str(), 1), 0);
  EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
  EXPECT_TRUE(std::filesystem::is_empty(path("cache/tmp")));
  EXPECT_TRUE(std::filesystem::is_empty(path("cache/locks")));
}

TEST_F(KernelBuilderTest, EqualJobsAreBuiltOnce) {
  CompileJob other_name = job("one", 1);
  other_name.name = "another";
  EXPECT_EQ(processes_for({job("one", 1), job("one", 1), other_name}), 1);
}

TEST_F(KernelBuilderTest, WhatChangesTheCodeChangesTheKey) {
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  options_.compiler_opt = "-O1";
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  options_.abi_version = 7;
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  CompileJob avx = job("one", 1);
  avx.isa_flags = {"-mavx2"};
  EXPECT_EQ(processes_for({avx}), 1);
  write_embedded_headers(path("headers"));
  ASSERT_EQ(write_file(path("headers/vec/new.h"), "//"), make_directories(path("headers/vec")));
  options_.include_dir = path("headers");
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  EXPECT_EQ(processes_for({job("one", 1)}), 0);
}

TEST_F(KernelBuilderTest, HeadersAreFound) {
  CompileJob abi = job("version", 1);
  abi.source =
      "#include \"runtime/abi/abi.h\"\nextern \"C\" __attribute__((visibility(\"default\"))) int version() { "
      "return CPPGEN_ABI_VERSION; }\n";
  const auto built = build_kernels({abi}, options_);
  EXPECT_GE(call_kernel(built[0]), 1);
}

#ifdef __x86_64__
TEST_F(KernelBuilderTest, UnitsContainTheTilesThatTheyCall) {
  const auto built = build_kernels({job_with_tile("two", 2), job("one", 1)}, options_);
  EXPECT_EQ(call_kernel(built[0]), 2);
  const size_t tile = read_object(built[0]).size(), none = read_object(built[1]).size();
  EXPECT_LT(tile, none + 8192) << "more than one tile was linked";
  EXPECT_GT(tile, none);
}

TEST_F(KernelBuilderTest, ASourceTreeHasNoTiles) {
  options_.include_dir = built_source_tree();
  const std::string error = error_of<RefusedSource>({job_with_tile("two", 2)}, options_).what();
  EXPECT_NE(error.find("finished_tile"), error.npos) << error;
}
#endif

TEST_F(KernelBuilderTest, RecompileReplacesAndDisabledCachesTouchNothing) {
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  options_.recompile = true;
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  options_.recompile = false;
  options_.force_disable_caches = true;
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  options_.cache_dir = path("untouched");
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  EXPECT_FALSE(file_exists(path("untouched")));
  options_.force_disable_caches = false;
  options_.kernel_cache = false;
  EXPECT_EQ(processes_for({job("one", 1)}), 1);
  EXPECT_FALSE(file_exists(path("untouched")));
}

TEST_F(KernelBuilderTest, UncachedObjectsLiveAsLongAsTheirHandles) {
  options_.cache_dir.clear();
  std::string kept;
  {
    std::vector<CompiledObject> built = build_kernels({job("one", 1), job("two", 2)}, options_);
    const CompiledObject second = built[1];
    built.clear();
    kept = second.path;
    EXPECT_EQ(call_kernel(second), 2);
  }
  EXPECT_FALSE(file_exists(kept));
}

TEST_F(KernelBuilderTest, OneProcessKeepsTheOrderOfJobs) {
  options_.cxx = fake_compiler("cat kernel.cpp >> " + path("order") + "\nexec g++ \"$@\"");
  options_.compile_threads = 1;
  const std::vector<CompileJob> jobs = {job("a", 1), job("longer_name", 2), job("c", 3)};
  build_kernels(jobs, options_);
  EXPECT_EQ(read_file(path("order")), jobs[0].source + jobs[1].source + jobs[2].source);
}

TEST_F(KernelBuilderTest, AtMostSoManyProcessesAtOnce) {
  options_.cxx = fake_compiler("mkdir " + path("") + "run.$$\nls -d " + path("run.*") + " | wc -l >> " + path("peak") +
                               "\ni=0; while ! grep -q 2 " + path("peak") +
                               " && [ $i -lt 600 ]; do sleep 0.05; i=$((i+1)); done"
                               "\nrmdir " +
                               path("") + "run.$$\nexec g++ \"$@\"");
  options_.compile_threads = 2;
  std::vector<CompileJob> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(job("k" + std::to_string(i), i));
  build_kernels(jobs, options_);
  const std::string peaks = read_file(path("peak"));
  EXPECT_NE(peaks.find('2'), std::string::npos) << "two ran together";
  EXPECT_EQ(peaks.find_first_not_of("12\n"), std::string::npos) << peaks;
}

TEST_F(KernelBuilderTest, ProgressCountsHitsAndBuilds) {
  processes_for({job("one", 1)});
  std::vector<std::pair<int, int>> steps;
  options_.on_progress = [&](int done, int total) { steps.emplace_back(done, total); };
  processes_for({job("one", 1), job("two", 2)});
  EXPECT_EQ(steps, (std::vector<std::pair<int, int>>{{0, 2}, {1, 2}, {2, 2}}));
}

TEST_F(KernelBuilderTest, LogsOneFilePerJob) {
  options_.worker_log_path = path("logs/deep");
  KernelBuilder builder(options_);
  builder.build({job("one", 1)});
  const std::string log = read_file(path("logs/deep/") + builder.key_of(job("one", 1)).hex.substr(0, 16) + ".log");
  EXPECT_NE(log.find("/g++ -std=gnu++20"), std::string::npos);
  EXPECT_NE(log.find("exited with status 0 ("), std::string::npos);
}

TEST_F(KernelBuilderTest, KernelsNeedNothingButMemoryFunctions) {
  CompileJob copies = job("copy", 0);
  copies.source =
      "struct S { char bytes[4096]; };\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) void copy(S* a, const S* b, char* c, long n) {\n"
      "  *a = *b;\n  for (long i = 0; i < n; ++i) c[i] = 0;\n}\n";
  const auto built = build_kernels({copies}, options_);
  std::string why;
  const std::string image = read_object(built[0]);
  const auto symbols = read_shared_object(image, why);
  ASSERT_TRUE(symbols) << why;
  EXPECT_FALSE(symbols->undefined.empty()) << "the test shall meet at least one";
  for (const std::string& name : symbols->undefined) {
    EXPECT_TRUE(std::binary_search(allowed_undefined_symbols().begin(), allowed_undefined_symbols().end(), name))
        << name;
  }
  EXPECT_LT(image.size(), read_file(built[0].path).size()) << "packages get the image without the cache's trailer";
}

TEST_F(KernelBuilderTest, InstrumentedKernelsMayNeedTheirLibrary) {
  options_.extra_flags = {"-fsanitize=undefined"};
  CompileJob divides = job("divide", 0);
  divides.source = "extern \"C\" __attribute__((visibility(\"default\"))) int divide(int a, int b) { return a / b; }\n";
  EXPECT_EQ(build_kernels({divides}, options_).size(), 1u);
}

TEST_F(KernelBuilderTest, CancelStopsSoonAndKillsCompilers) {
  CancelToken token;
  options_.cancel = &token;
  options_.cxx = fake_compiler("sleep 100");
  std::thread canceller([&] {
    EXPECT_TRUE(eventually([&] { return starts() == 1; }));
    token.cancel();
  });
  const RunningTime time;
  EXPECT_THROW(build_kernels({job("one", 1)}, options_), Cancelled);
  EXPECT_LT(time.seconds(), 20);
  canceller.join();
  const pid_t compiler = std::stoi(read_file(path("starts")));
  EXPECT_NE(::kill(compiler, 0), 0);
}

}  // namespace
}  // namespace cppgen
